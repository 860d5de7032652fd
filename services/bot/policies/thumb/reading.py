"""What rules of thumb read from a view and an offer."""

from __future__ import annotations

from typing import TypeAlias

from shared.dune import facts
from shared.dune.facts.forces import stays
from shared.dune.memo import by_identity
from shared.dune.offers import Offer
from shared.dune.shapes import Amounts, Fields, Json, ManyOf, Number, OneOf, Pairs, Shape, Transfer, Variant
from shared.dune.views import PlaceView, SeatView

__all__ = ["enemies_in", "filled", "forces_in", "own_spice", "paired", "spice_at", "variant"]


def variant(offer: Offer, name: str) -> Fields | None:
    """The fields of one thing that an offer lets its seat do; None if it cannot be done now."""
    return offer.choice.variants.get(name) if isinstance(offer.choice, Variant) else None


def filled(name: str, fields: Fields, **given: Json) -> Json:
    """An answer to a variant: what is given, and for every other field the least that is legal."""
    return {"do": name, **{key: given.get(key, _least(shape)) for key, shape in fields.fields.items()}}


def paired(fields: Fields, answer: dict[str, Json]) -> None:
    """Give the second of two numbers that go together the least that fits the first, if anything does."""
    for need in fields.needs:
        if isinstance(need, Pairs) and (fitting := need.fitting(answer[need.first])):
            answer[need.second] = fitting[0]


def _least(shape: Shape) -> Json:
    match shape:
        case Number(low=low):
            return low
        case OneOf():
            return shape.legal()[0]
        case ManyOf(least=least):
            return shape.legal()[:least]
        case Amounts():
            return _fewest(shape)
        case Fields(fields=fields):
            return {key: _least(inner) for key, inner in fields.items()}
        case Variant(variants=variants):
            name, inner = next(iter(variants.items()))
            return {"do": name, **_least(inner)}
        case Transfer():
            return None
    return "..."


def _fewest(shape: Amounts) -> dict[str, int]:
    left, found = shape.least, {}
    for key, most in shape.keys.items():
        found[key] = min(most, left)
        left -= found[key]
    return found


def own_spice(view: SeatView) -> int:
    """The seat's own spice."""
    return view.spice.get(view.seat or "", 0)


def spice_at(view: SeatView, place: str) -> int:
    """The spice that lies at a location."""
    shown = view.places.get(place)
    return shown.spice if shown else 0


Standing: TypeAlias = dict[str, dict[str, int]]


@by_identity
def _standing(places: dict[str, PlaceView]) -> tuple[Standing, Standing]:
    """The forces of each faction in each territory where any stand: all, and those that take part. [BG-23]"""
    found: Standing = {}
    active: Standing = {}
    for place, shown in places.items():
        territory = facts.territory_of(place).id
        here, acting = found.setdefault(territory, {}), active.setdefault(territory, {})
        for faction, kinds in shown.forces.items():
            here[faction] = here.get(faction, 0) + sum(kinds.values())
            taking_part = sum(number for kind, number in kinds.items() if kind not in stays())
            acting[faction] = acting.get(faction, 0) + taking_part
    return found, active


def _there(view: SeatView, place: str, active: bool = False) -> dict[str, int]:
    return _standing(view.places)[active].get(facts.territory_of(place).id, {})


def forces_in(view: SeatView, place: str, faction: str) -> int:
    """The forces of a faction in the territory of a location."""
    return _there(view, place).get(faction, 0)


def enemies_in(view: SeatView, place: str) -> int:
    """The strongest other faction's forces that take part in the territory of a location, the ally's aside."""
    ally = view.factions[view.seat].ally if view.seat else None
    others = (
        number
        for faction, number in _there(view, place, active=True).items()
        if faction not in (view.seat, ally)
    )
    return max(others, default=0)
