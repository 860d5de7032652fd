"""Rules of thumb by kind of offer: what a beginner does. Each takes the view, the offer and chance, and answers."""

from __future__ import annotations

import random
from collections.abc import Callable

from services.bot.policies.thumb.board import RULES as BOARD
from services.bot.policies.thumb.dealing import RULES as DEALING
from services.bot.policies.thumb.fighting import RULES as FIGHTING
from services.bot.policies.thumb.powers import RULES as POWERS
from services.bot.policies.thumb.setup import RULES as SETUP
from services.bot.policies.thumb.sides import RULES as SIDES
from shared.dune.offers import Offer
from shared.dune.shapes import Json
from shared.dune.views import SeatView

__all__ = ["RULES", "Rule"]

Rule = Callable[[SeatView, Offer, random.Random], Json]
"""A rule of thumb; None: no opinion."""

RULES: dict[str, Rule] = {**SETUP, **BOARD, **DEALING, **FIGHTING, **POWERS, **SIDES}
