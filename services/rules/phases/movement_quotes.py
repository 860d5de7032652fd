"""What movement asks of factions, cards and modules: how far, what bars the way, where it must not end."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from services.rules.engine.hooks import Quote, contributes, quote
from services.rules.engine.rulings import ruling
from services.rules.phases.places import may_enter_stronghold
from services.rules.phases.presence import active_at, parting_territories
from services.rules.phases.shipment_flow import landed_mark
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.table import Table

__all__ = ["Barred", "Endings", "March", "MoveRange", "barred", "endings", "march", "move_range"]

ORNITHOPTERS = 3


class MoveRange(Quote, frozen=True, kw_only=True):
    """How many territories a group may go. `power` is the Karama name of a power that added to `plain`. [MOVE-03]

    `stays`, here and below: the group is made of forces that only stay. [MOVE-06]
    """

    faction: Faction
    stays: bool = False
    plain: int = 1
    power: str = ""

    def raised(self, value: int, text: str, rule: str, power: str) -> MoveRange:
        """A longer range by a power; unchanged if the range is as long already."""
        if self.value >= value:
            return self
        return self.step(value, text, rule, plain=self.value, power=power)


class Barred(Quote, frozen=True, kw_only=True):
    """The locations that a faction's moving forces may not enter. [MOVE-08, STORM-22]"""

    faction: Faction
    stays: bool = False
    places: frozenset[str] = frozenset()


class Endings(Quote, frozen=True, kw_only=True):
    """The territories in which a faction's movement may not end. [MOVE-15]"""

    faction: Faction
    stays: bool = False
    closed: frozenset[str] = frozenset()


class March(Struct, frozen=True):
    """By what rules a group moves: how many territories, past what it may not go, and where it may not stop.

    `ends`: of the `barred` locations those in which it may stop all the same. `closed`: territories. [MOVE-08, MOVE-15]
    """

    steps: int
    barred: frozenset[str]
    ends: frozenset[str]
    closed: frozenset[str]


def march(table: Table, faction: Faction, *, stays: bool = False) -> March:
    """By what rules a faction's groups move now; those that only stay may move by others. [MOVE-06, BG-51]"""
    steps = move_range(table, faction, stays=stays).value
    way = barred(table, faction, stays=stays)
    ends = _ends(table, faction, way, stays=stays)
    return March(steps, way, ends, endings(table, faction, stays=stays))


def _ends(table: Table, faction: Faction, way: frozenset[str], *, stays: bool) -> frozenset[str]:
    """The strongholds that a group cannot pass, but may stop in. [BG-51]"""
    full = [name for name in facts.strongholds() if not way.isdisjoint(facts.locations_of(name))]
    ends = [name for name in full if may_enter_stronghold(table, faction, name, stays=stays)]
    return frozenset[str]().union(*map(facts.locations_of, ends)).difference(facts.locations_in(table.storm))


def move_range(table: Table, faction: Faction, *, stays: bool = False) -> MoveRange:
    """How far the faction's next movement may go, determined anew for each. [MOVE-03, MOVE-18]"""
    return quote(table, MoveRange(faction=faction, stays=stays, value=1))


def barred(table: Table, faction: Faction, *, stays: bool = False) -> frozenset[str]:
    """Locations in storm, and strongholds that hold forces of two other players already. [MOVE-08, MAP-15]"""
    full = [
        name
        for name in facts.strongholds()
        if not may_enter_stronghold(table, faction, name, stays=stays, passes=True)
    ]
    places = frozenset(facts.locations_in(table.storm)).union(*map(facts.locations_of, full))
    return quote(table, Barred(faction=faction, stays=stays, places=places)).places


def endings(table: Table, faction: Faction, *, stays: bool = False) -> frozenset[str]:
    """Territories where the ally's forces may not be joined, but never the Polar Sink. [MOVE-15, ALLY-15]"""
    closed: frozenset[str] = frozenset()
    ally = table.ally_of(faction)
    may_stay = stays and ruling(table, "advisors_separate") == "off"
    if ally and not may_stay and ruling(table, "move_end_on_ally") == "off":
        closed = parting_territories(table, ally) - {facts.territory_of(facts.POLAR_SINK).id}
    return quote(table, Endings(faction=faction, stays=stays, closed=closed)).closed


@contributes(MoveRange, rule="MOVE-04", order=20)
def ornithopters(moved: MoveRange, table: Table) -> MoveRange:
    """Three territories with a force in a city as the movement starts; a group that only stays uses none.

    [MOVE-04, MOVE-05, MOVE-06, MAP-13]
    """
    if moved.stays:
        return moved
    for place in table.places_of(moved.faction):
        if not facts.territory_of(place).ornithopters:
            continue
        number = active_at(table, place, moved.faction)
        if number > table.count(landed_mark(moved.faction, place)):
            changed = moved.step(ORNITHOPTERS, f"Ornithopters in {facts.name(place)}", "MOVE-04")
            return msgspec.structs.replace(changed, plain=ORNITHOPTERS)
    return moved
