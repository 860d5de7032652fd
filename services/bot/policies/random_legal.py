"""`random`: any legal answer, each as likely as its shape makes it. A floor for the ladder."""

from __future__ import annotations

import random

from services.bot.policies.base import sampled
from shared.dune.offers import Offer
from shared.dune.shapes import Json
from shared.dune.views import SeatView

__all__ = ["RandomPolicy"]


class RandomPolicy:
    """Draws from the offer's choices; looks at nothing."""

    def decide(self, view: SeatView, offer: Offer, rng: random.Random) -> Json:
        """A legal answer."""
        return sampled(offer, rng)
