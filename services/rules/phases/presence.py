"""What forces do where they stand: one function for each question that phases ask of them.

Some kinds only stay: they are there, die and part from an ally like all others, but do not take part. Which kinds do
is said with the kind (`facts/forces.toml`). Who asks whether anybody is *there* at all asks the table itself: worms,
storm, explosions, and whether one is alone. [GEN-17, BG-23]
"""

from __future__ import annotations

from services.rules.engine.rulings import ruling
from shared.dune.facts.forces import stays
from shared.dune.settings import Faction
from shared.dune.table import Kinds, Table

__all__ = [
    "active_at",
    "active_kinds",
    "lodges_in",
    "only_stay",
    "parting_at",
    "parting_in",
    "parting_territories",
]


def active_kinds(kinds: Kinds) -> Kinds:
    """A stack without those that only stay: what fights, collects, flies and may use Family Atomics. [BG-23]"""
    staying = stays()
    if staying.isdisjoint(kinds):
        return kinds
    return {kind: number for kind, number in kinds.items() if kind not in staying}


def active_at(table: Table, place: str, faction: Faction) -> int:
    """How many forces of a faction take part at a location. [BG-23]"""
    return sum(active_kinds(table.kinds_at(place, faction)).values())


def only_stay(kinds: Kinds) -> bool:
    """Whether a group is made of forces that only stay: it moves by other rules. [MOVE-06, BG-30]"""
    return not active_kinds(kinds)


def lodges_in(table: Table, faction: Faction, territory: str) -> bool:
    """Whether the forces that a faction has in a territory only stay there: all do, or none. [BG-21]"""
    return faction in table.factions_in(territory) and not table.occupies(faction, territory)


def parting_at(table: Table, place: str, faction: Faction) -> int:
    """How many forces of a faction at a location may not stay with its ally's: by ruling not those that only stay.

    [ALLY-11, ALLY-15, RULING-43]
    """
    if ruling(table, "advisors_separate") == "on":
        return table.number_at(place, faction)
    return active_at(table, place, faction)


def parting_in(table: Table, territory: str, faction: Faction) -> int:
    """How many forces of a faction in a territory may not stay with its ally's. [ALLY-11, ALLY-15]"""
    whole = table.factions_in if ruling(table, "advisors_separate") == "on" else table.occupants_of
    return whole(territory).get(faction, 0)


def parting_territories(table: Table, faction: Faction) -> frozenset[str]:
    """The territories in which a faction has forces that may not stay with its ally's. [ALLY-11, ALLY-15, MOVE-15]"""
    held = table.territories_of(faction)
    if ruling(table, "advisors_separate") == "on":
        return held
    return frozenset(territory for territory in held if table.occupies(faction, territory))
