"""Rules of thumb for powers of the Advanced game: look where it is free, hurt others where it costs little."""

from __future__ import annotations

import random
from collections.abc import Callable

from services.bot.policies.thumb.reading import enemies_in, filled, forces_in, spice_at, variant
from shared.dune import facts
from shared.dune.offers import Offer
from shared.dune.shapes import Amounts, Json, OneOf
from shared.dune.views import SeatView

__all__ = ["RULES"]

PREY = 4
"""Forces of another player that are worth a worm."""


def look(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """A look costs nothing."""
    return {"do": "yes"}


def worm(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Where it devours most of others, or most spice that others would collect; not for little."""
    for name in ("place", "use"):
        fields = variant(offer, name)
        if fields is None:
            continue
        shape = fields.fields["territory"]
        assert isinstance(shape, OneOf)
        worth, best = max((_prey(view, str(territory)), str(territory)) for territory in shape.legal())
        if worth >= PREY:
            return filled(name, fields, territory=best)
    return {"do": "pass"}


def _prey(view: SeatView, territory: str) -> int:
    """What others would lose by a worm, less what would be lost of one's own spice."""
    places = facts.locations_of(territory)
    spice = sum(spice_at(view, place) for place in places)
    own = forces_in(view, places[0], view.seat or "")
    return enemies_in(view, places[0]) + (-spice if own else spice // 4)


def revive_more(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """As many forces as it brings back, once they are worth it."""
    fields = variant(offer, "forces")
    if fields is None:
        return {"do": "pass"}
    shape = fields.fields["forces"]
    assert isinstance(shape, Amounts)
    left, chosen = shape.most, {}
    for kind, there in sorted(shape.keys.items(), key=lambda row: row[0] == "regular"):
        chosen[kind] = min(there, left)
        left -= chosen[kind]
    return filled("forces", fields, forces=chosen) if shape.most == 3 else {"do": "pass"}


RULES: dict[str, Callable[[SeatView, Offer, random.Random], Json]] = {
    "storm_look": look,
    "place_worm": worm,
    "special_worm": worm,
    "special_revival": revive_more,
}
