"""Forces that set out together, as an answer names them: by the place that they leave, and by kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Json, Source
from shared.dune.table import Kinds, Table

__all__ = ["Groups", "cleaned", "normal_first", "number_of", "taken", "together", "under_storm"]

Groups: TypeAlias = dict[str, Kinds]


def cleaned(chosen: Json) -> Groups:
    """The forces of an answer without zeros."""
    groups = {
        place: {kind: number for kind, number in kinds.items() if number} for place, kinds in chosen.items()
    }
    return {place: kinds for place, kinds in groups.items() if kinds}


def number_of(groups: Groups) -> int:
    """How many forces they are."""
    return sum(sum(kinds.values()) for kinds in groups.values())


def normal_first(kinds: Kinds) -> Kinds:
    """A stack with its normal forces first, the others by name. [REVIVAL-22, FRE-25]"""
    return {kind: kinds[kind] for kind in sorted(kinds, key=lambda kind: (kind != "regular", kind))}


def taken(kinds: Kinds, number: int) -> Kinds:
    """So many forces of a stack, normal ones first; all of it if there are no more."""
    found: Kinds = {}
    for kind, there in normal_first(kinds).items():
        if chosen := min(there, number):
            found[kind] = chosen
            number -= chosen
    return found


def together(groups: Groups) -> Kinds:
    """All forces of the groups as one stack."""
    found: Kinds = {}
    for kinds in groups.values():
        for kind, number in kinds.items():
            found[kind] = found.get(kind, 0) + number
    return found


def under_storm(table: Table, seat: Faction, places: Iterable[str], rule: str) -> tuple[Source, ...]:
    """The forces of a seat at those of these places that the storm is over: shown, and with the reason. [MOVE-08]"""
    return tuple(
        Source(place, kinds, facts.name(place), off="The storm is there.", rule=rule)
        for place in places
        if table.in_storm(place) and (kinds := table.kinds_at(place, seat))
    )
