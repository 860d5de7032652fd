"""Rules of thumb for forces of two sides: advisors watch where others are strong, fighters stand where they can win."""

from __future__ import annotations

import random
from collections.abc import Callable

from services.bot.policies.thumb.reading import enemies_in, filled, forces_in, variant
from shared.dune import facts
from shared.dune.offers import Offer
from shared.dune.shapes import Fields, Json, ManyOf, OneOf
from shared.dune.views import SeatView

__all__ = ["RULES"]


def first_force(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Among those who hold a stronghold, to have a foot in it."""
    assert isinstance(offer.choice, Fields)
    places = offer.choice.fields["choice"]
    assert isinstance(places, OneOf)
    held = [
        p for p in places.legal() if facts.territory_of(str(p)).is_stronghold and enemies_in(view, str(p))
    ]
    return {"choice": rng.choice(held)} if held else offer.default


def accompany(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Now and then, and with the shipment rather than to the Polar Sink."""
    with_them = variant(offer, "advisor")
    if with_them is not None and rng.random() < 0.5:
        return filled("advisor", with_them)
    return {"do": rng.choice(("yes", "no"))}


def announce(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Where they are more than anybody else."""
    assert isinstance(offer.choice, Fields)
    shape = offer.choice.fields["territories"]
    assert isinstance(shape, ManyOf)
    return {"territories": [territory for territory in shape.legal() if _wins(view, str(territory))]}


def become_advisors(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Where the others are more."""
    return {"do": "no" if _wins(view, str(offer.about["territory"])) else "yes"}


def become_fighters(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Where they are more than the others."""
    return {"do": "yes" if _wins(view, str(offer.about["territory"])) else "no"}


def _wins(view: SeatView, territory: str) -> bool:
    place = facts.locations_of(territory)[0]
    return forces_in(view, place, view.seat or "") > enemies_in(view, place)


RULES: dict[str, Callable[[SeatView, Offer, random.Random], Json]] = {
    "accompany": accompany,
    "advisors_arrive": become_fighters,
    "announce_fighters": announce,
    "intrusion": become_advisors,
    "placement_one": first_force,
}
