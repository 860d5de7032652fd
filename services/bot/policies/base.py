"""What a policy is, and how its chance is drawn: the same seat, offer and seed give the same answer."""

from __future__ import annotations

import hashlib
import random
from typing import Protocol

import msgspec

from shared.dune.offers import Offer
from shared.dune.shapes import Json
from shared.dune.views import SeatView, encode_view

__all__ = ["Policy", "chance_of", "sampled"]


class Policy(Protocol):
    """Answers one offer of its seat, from that seat's view alone."""

    def decide(self, view: SeatView, offer: Offer, rng: random.Random) -> Json:
        """A legal answer."""
        ...


def chance_of(view: SeatView, offer: Offer) -> random.Random:
    """The chance of one decision, drawn from the table as the seat sees it, so that nobody else foretells it.

    A repeated task decides alike, and the same game is played alike in process and through the services. How
    an offer is said does not matter: it follows from the table, so that a shorter form plays the same game.
    """
    table = msgspec.structs.replace(view, offers=(), standing=())
    digest = hashlib.sha256(encode_view(table) + offer.id.encode()).digest()
    return random.Random(digest)


def sampled(offer: Offer, rng: random.Random) -> Json:
    """Any legal answer; the default where none is found by trying."""
    try:
        return offer.choice.sample(rng)
    except LookupError:
        return offer.default
