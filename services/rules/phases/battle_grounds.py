"""Who fights whom, and where: pure functions of the table. [BATTLE-01..BATTLE-09]"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from services.rules.engine.hooks import quote
from services.rules.engine.rulings import ruling
from services.rules.phases.battle_quotes import Fighters
from services.rules.phases.movement_paths import connected
from services.rules.phases.presence import active_kinds
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Kinds, Table

__all__ = ["Clash", "battles_of", "fighters_at", "fighters_in", "next_aggressor", "number_of_kind"]


class Clash(Struct, frozen=True):
    """One battle: its two sides, the territory, and the locations whose forces take part. [BATTLE-04]"""

    aggressor: Faction
    defender: Faction
    territory: str
    places: tuple[str, ...]

    @property
    def sides(self) -> tuple[Faction, Faction]:
        """The aggressor, then the other side."""
        return self.aggressor, self.defender

    def opponent(self, side: Faction) -> Faction:
        """The other side."""
        return self.defender if side == self.aggressor else self.aggressor

    def subject(self) -> dict[str, Json]:
        """What guests of this battle's moments are told: public facts only."""
        return {"aggressor": self.aggressor, "defender": self.defender, "territory": self.territory}


def fighters_at(table: Table, place: str, faction: Faction) -> Kinds:
    """The forces of a faction at a location that can fight, by kind. [BATTLE-01, BG-23]"""
    kinds = active_kinds(table.kinds_at(place, faction))
    return quote(table, Fighters(faction=faction, place=place, kinds=kinds)).kinds if kinds else {}


def fighters_in(table: Table, places: tuple[str, ...], faction: Faction) -> int:
    """How many forces of a faction can fight in these locations."""
    return sum(sum(fighters_at(table, place, faction).values()) for place in places)


def number_of_kind(table: Table, clash: Clash, side: Faction, kind: str) -> int:
    """How many forces of one kind a side has in a battle."""
    return sum(fighters_at(table, place, side).get(kind, 0) for place in clash.places)


def next_aggressor(table: Table) -> Faction | None:
    """The first player in storm order that has a battle to fight. [BATTLE-05]"""
    return next((seat for seat in table.order if battles_of(table, seat)), None)


def battles_of(table: Table, aggressor: Faction) -> tuple[Clash, ...]:
    """All battles of a player now, in board order, opponents in storm order.

    [BATTLE-06, BATTLE-07, BATTLE-08]
    """
    found: list[Clash] = []
    held = table.territories_of(aggressor) - {facts.territory_of(facts.POLAR_SINK).id}
    for territory in facts.territories():
        if territory not in held:
            continue
        there = table.occupants_of(territory)
        for opponent in table.order:
            if opponent in there and opponent != aggressor and not table.are_allied(aggressor, opponent):
                found.extend(_clashes(table, territory, aggressor, opponent))
    return tuple(found)


def _clashes(table: Table, territory: str, aggressor: Faction, opponent: Faction) -> list[Clash]:
    """The battles of two players in a territory: one for each ground on which both can fight.

    [BATTLE-03, BATTLE-04]
    """
    grounds = [
        ground
        for ground in _grounds(territory, table.storm, ruling(table, "battle_in_storm") == "same_sector")
        if fighters_in(table, ground, aggressor) and fighters_in(table, ground, opponent)
    ]
    if grounds and ruling(table, "split_territory_forces") == "whole_territory":
        grounds = [facts.locations_of(territory)]
    return [Clash(aggressor, opponent, territory, ground) for ground in grounds]


@lru_cache(maxsize=4096)
def _grounds(territory: str, storm: int, fight_in_storm: bool) -> tuple[tuple[str, ...], ...]:
    """The locations of a territory in groups that the storm does not part; under storm itself nobody fights.

    [BATTLE-03]
    """
    places = facts.locations_of(territory)
    stormy = [place for place in places if place in facts.locations_in(storm)]
    free = [place for place in places if place not in stormy]
    grounds: list[tuple[str, ...]] = []
    while free:
        part = connected(free[0], frozenset(stormy))
        grounds.append(tuple(place for place in places if place in part))
        free = [place for place in free if place not in part]
    if fight_in_storm:
        grounds.extend((place,) for place in stormy)
    return tuple(grounds)
