"""What several phases ask about places: protection, order, occupancy, battle groups. Pure functions of the table."""

from __future__ import annotations

from services.rules.engine.hooks import Quote, quote
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.table import Table

__all__ = ["OverLimit", "is_protected_from_storm", "may_enter_stronghold", "storm_order"]

WALL = "shield_wall_destroyed"
"""Public mark: Family Atomics has been played. [ATOMICS-05]"""


def is_protected_from_storm(table: Table, place: str) -> bool:
    """Whether forces at a location survive the storm. [STORM-15, STORM-16, MAP-05..MAP-08]"""
    territory = facts.territory_of(place)
    if territory.shield_wall_dependent or territory.id in facts.shield_wall_dependents():
        return not table.is_set(WALL)
    return territory.storm_protected


def storm_order(table: Table) -> tuple[Faction, ...]:
    """The factions in storm order: from the circle the storm would reach next; its own sector is last. [GEN-08]"""

    def distance(circle: int) -> int:
        return (circle - table.storm - 1) % facts.SECTORS

    pairs = zip(table.settings.circles, table.seats, strict=True)
    return tuple(seat for _, seat in sorted(pairs, key=lambda pair: distance(pair[0])))


class OverLimit(Quote, frozen=True, kw_only=True):
    """Whether a group may come into a stronghold that two others hold: 0, or 1 by a power. [BG-51]

    `stays`: it is made of forces that only stay. `passes`: it must be able to go on from there.
    """

    faction: Faction
    territory: str
    stays: bool = False
    passes: bool = False


def may_enter_stronghold(
    table: Table, faction: Faction, territory: str, *, stays: bool = False, passes: bool = False
) -> bool:
    """Whether the occupancy limit lets a group in: at most one other player's forces there, those that only stay not
    counted. [MAP-15, SHIP-12, MOVE-08, BG-51]
    """
    if not facts.territory(territory).is_stronghold:
        return True
    there = table.occupants_of(territory)
    if len(there) - (faction in there) < 2:
        return True
    base = OverLimit(faction=faction, territory=territory, stays=stays, passes=passes)
    return bool(quote(table, base).value)
