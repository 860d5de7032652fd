"""Rules of thumb for shipping and moving: strongholds first, then spice; never where it is hopeless."""

from __future__ import annotations

import random
from collections.abc import Callable

from services.bot.policies.thumb.reading import enemies_in, filled, forces_in, own_spice, spice_at, variant
from shared.dune import facts
from shared.dune.offers import Offer
from shared.dune.shapes import Json, Source, Target, Transfer
from shared.dune.views import SeatView

__all__ = ["RULES"]

GARRISON = 4
"""Forces that a beginner wants in a stronghold of its own."""
KEPT_SPICE = 2
"""Spice that a beginner does not spend on shipping."""


def ship(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Into the most promising place that can be paid."""
    fields = variant(offer, "ship")
    if fields is None or rng.random() < 0.1:
        return {"do": "pass"}
    name = next(key for key, shape in fields.fields.items() if isinstance(shape, Transfer))
    shape = fields.fields[name]
    assert isinstance(shape, Transfer)
    ranked = sorted(((_worth(view, place, rng), place) for place in shape.open_places()), reverse=True)
    for worth, place in ranked[:3]:
        target = _target(shape, place)
        number = _wanted(view, place, target, shape)
        if worth > 0 and number:
            group = _take(shape, target, number)
            return filled("ship", fields, **{name: {"from": group, "to": place}})
    return {"do": "pass"}


def move(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """To spice or a stronghold that can be had; a garrison stays behind."""
    fields = variant(offer, "move")
    if fields is None:
        return {"do": "end"}
    name = next(key for key, shape in fields.fields.items() if isinstance(shape, Transfer))
    shape = fields.fields[name]
    assert isinstance(shape, Transfer)
    best: tuple[float, str, Target, Source] | None = None
    reached = [(place, _target(shape, place)) for place in shape.open_places()]
    for source in shape.sources:
        spare = sum(source.kinds.values()) - (2 if facts.territory_of(source.place).is_stronghold else 0)
        here = spice_at(view, source.place)
        for place, target in reached:
            same = facts.territory_of(place) == facts.territory_of(source.place)
            if source.place not in target.sources or spare <= enemies_in(view, place) or spare < 1 or same:
                continue
            worth = _worth(view, place, rng) - here
            if worth > 2 and (best is None or (worth, place) > best[:2]):
                best = (worth, place, target, source)
    if best is None:
        return {"do": "end"}
    _, place, target, source = best
    keep = 2 if facts.territory_of(source.place).is_stronghold else 0
    number = min(shape.most(target), sum(source.kinds.values()) - keep)
    group = {source.place: _of(source, number)}
    return filled("move", fields, **{name: {"from": group, "to": place}})


def _target(shape: Transfer, place: str) -> Target:
    found = shape.target(place)
    assert found is not None
    return found


def _worth(view: SeatView, place: str, rng: random.Random) -> float:
    """How much a beginner wants to be there."""
    territory = facts.territory_of(place)
    mine, theirs = forces_in(view, place, view.seat or ""), enemies_in(view, place)
    worth = float(spice_at(view, place)) * (1.0 if theirs == 0 else 0.3)
    if territory.is_stronghold:
        worth += 9 if mine == 0 else (5 if mine < GARRISON else -4)
    worth -= 1.2 * theirs
    ally = view.factions[view.seat].ally if view.seat else None
    if ally and forces_in(view, place, ally):
        return -9
    return worth + rng.random()


def _wanted(view: SeatView, place: str, target: Target, shape: Transfer) -> int:
    theirs = enemies_in(view, place)
    wanted = theirs + 3 if theirs else GARRISON
    have = sum(sum(source.kinds.values()) for source in shape.sources if source.place in target.sources)
    budget = max(0, own_spice(view) - KEPT_SPICE)
    prices = shape.prices(target)
    afford = sum(price <= budget for price in prices) if prices else have
    number = min(wanted, have, afford, shape.most(target))
    return number if number > theirs else 0


def _take(shape: Transfer, target: Target, number: int) -> dict[str, dict[str, int]]:
    source = next(source for source in shape.sources if source.place in target.sources)
    return {source.place: _of(source, min(number, sum(source.kinds.values())))}


def _of(source: Source, number: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for kind, there in source.kinds.items():
        taken = min(there, number)
        number -= taken
        if taken:
            found[kind] = taken
    return found


RULES: dict[str, Callable[[SeatView, Offer, random.Random], Json]] = {"ship": ship, "move": move}
