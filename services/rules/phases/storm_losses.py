"""What the storm destroys, and which groups lose only a part. [STORM-12..STORM-19]"""

from __future__ import annotations

from msgspec import Struct

from services.rules.engine.hooks import Quote, quote
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.phases.places import is_protected_from_storm
from shared.dune import facts
from shared.dune.events.forces import ForcesKilled, SpiceRemoved
from shared.dune.settings import Faction
from shared.dune.table import RESERVES, TANKS, Table

__all__ = [
    "DISTANCE",
    "STORM",
    "Caught",
    "StormLosses",
    "open_groups",
    "sets_out",
    "storm_path",
    "strike",
    "strikes_start",
]

DISTANCE = "phase.storm_distance"
"""Public mark: how many sectors the marker will move. [STORM-09]"""
STORM = "storm"
"""The cause of what the storm destroys."""


class StormLosses(Quote, frozen=True, kw_only=True):
    """How many of a faction's forces at an open location the storm destroys: all, unless a power says less.

    `sets_out`: the storm stood there and moves on, which a ruling lets destroy as well. [STORM-12, STORM-18, RULING-11]
    """

    faction: Faction
    place: str
    sets_out: bool = False


class Caught(Struct, frozen=True):
    """A group of which a number is lost, its owner choosing which. [STORM-18]"""

    faction: Faction
    place: str
    number: int


def strikes_start(table: Table) -> bool:
    """Whether the sector in which the storm stands is struck as it sets out: only by ruling. [STORM-12, STORM-14]"""
    if not table.count(DISTANCE):
        return ruling(table, "storm_zero_move") == "stops_again"
    return ruling(table, "storm_destroys_start_sector") == "on"


def sets_out(table: Table) -> bool:
    """Whether the storm strikes where it stands because it moves on from there. [RULING-11]"""
    return strikes_start(table) and table.count(DISTANCE) > 0


def storm_path(table: Table) -> tuple[int, ...]:
    """The sectors that the storm is about to strike, in order; one may come twice. [STORM-02, STORM-11]"""
    ahead = range(table.storm, table.storm + table.count(DISTANCE))
    start = (table.storm,) if strikes_start(table) else ()
    return (*start, *(sector % facts.SECTORS + 1 for sector in ahead))


def open_groups(table: Table, sector: int) -> list[tuple[Faction, str]]:
    """The groups of forces in a sector that nothing protects from storm. [STORM-15, STORM-16]"""
    return [
        (faction, place)
        for place, by_faction in table.forces.items()
        if place not in (RESERVES, TANKS)
        and facts.sector_of(place) == sector
        and not is_protected_from_storm(table, place)
        for faction in sorted(by_faction)
    ]


def strike(play: Play, caught: tuple[Caught, ...], *, leaving: bool = False) -> tuple[Caught, ...]:
    """In the storm's sector unprotected forces die and all spice is lost; returns what is still to be chosen.

    `leaving`: it moves on from there. [STORM-12, STORM-13, STORM-19, GEN-22]
    """
    left = list(caught)
    for faction, place in open_groups(play.table, play.table.storm):
        before = next(
            (g for g in left if (g.faction, g.place) == (faction, place)), Caught(faction, place, 0)
        )
        kinds = play.table.kinds_at(place, faction)
        alive = sum(kinds.values()) - before.number
        losses = StormLosses(faction=faction, place=place, sets_out=leaving, value=alive)
        lost = before.number + quote(play.table, losses).value
        left = [group for group in left if group != before]
        if lost >= sum(kinds.values()):
            play.emit(ForcesKilled(faction, kinds, place, STORM))
        elif lost:
            left.append(Caught(faction, place, lost))
    for place in sorted(play.table.spice):
        if place in facts.locations() and play.table.in_storm(place):
            play.emit(SpiceRemoved(place, play.table.spice_of(place), STORM))
    return tuple(left)
