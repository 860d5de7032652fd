"""Rules of thumb for the setup and the storm."""

from __future__ import annotations

import random
from collections.abc import Callable

from shared.dune.offers import Offer
from shared.dune.shapes import Amounts, Fields, Json, Number, OneOf
from shared.dune.views import SeatView

__all__ = ["RULES"]


def predict(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Any faction, in the middle of the game."""
    assert isinstance(offer.choice, Fields)
    factions = offer.choice.fields["faction"]
    assert isinstance(factions, OneOf)
    last = view.settings.last_turn
    return {"faction": rng.choice(factions.legal()), "turn": rng.randint(min(3, last), min(7, last))}


def dial_storm(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Any number."""
    assert isinstance(offer.choice, Fields)
    dial = offer.choice.fields["dial"]
    assert isinstance(dial, Number)
    return {"dial": rng.randint(dial.low, dial.high)}


def place(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Six in the stronghold, two in each of the other territories."""
    return {"forces": {"sietch_tabr:13": 6, "false_wall_south:3": 2, "false_wall_west:16": 2}}


def place_elite(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """As many as there are, where most forces stand: a stronghold is worth it."""
    assert isinstance(offer.choice, Fields)
    shape = offer.choice.fields["forces"]
    assert isinstance(shape, Amounts)
    best = max(sorted(shape.keys), key=lambda place: shape.keys[place])
    return {"forces": {best: min(shape.keys[best], shape.most)}}


RULES: dict[str, Callable[[SeatView, Offer, random.Random], Json]] = {
    "prediction": predict,
    "storm_dial": dial_storm,
    "placement": place,
    "placement_elite": place_elite,
}
