"""`easy`: legal and sensible, without looking ahead: a rule of thumb for each kind of offer, else the default."""

from __future__ import annotations

import random

from services.bot.policies.base import sampled
from services.bot.policies.thumb import RULES
from services.bot.policies.thumb.windows import in_window
from shared.dune.offers import Offer
from shared.dune.shapes import Json
from shared.dune.views import SeatView

__all__ = ["EasyPolicy"]


class EasyPolicy:
    """A beginner's play: takes what is free, defends what it has, passes when in doubt."""

    def decide(self, view: SeatView, offer: Offer, rng: random.Random) -> Json:
        """The rule of thumb for this kind of offer if there is one and its answer is legal, else the default."""
        rule = in_window if offer.kind.startswith("window.") else RULES.get(offer.kind)
        if rule is None:
            return offer.default
        answer = rule(view, offer, rng)
        if answer is None or offer.problem(answer) is not None:
            return offer.default if offer.window else sampled(offer, rng)
        return answer
