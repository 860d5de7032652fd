"""What movement asks of factions, cards and modules: how far, what bars the way, where it must not end."""

from __future__ import annotations

import msgspec

from services.rules.engine.hooks import Quote, contributes, quote
from services.rules.engine.rulings import ruling
from services.rules.phases.places import may_enter_stronghold
from services.rules.phases.shipment_flow import landed_mark
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.table import Table

__all__ = ["Barred", "Endings", "MoveRange", "barred", "endings", "move_range"]

ORNITHOPTERS = 3


class MoveRange(Quote, frozen=True, kw_only=True):
    """How many territories a group may go. `power` is the Karama name of a power that added to `plain`. [MOVE-03]"""

    faction: Faction
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
    places: frozenset[str] = frozenset()


class Endings(Quote, frozen=True, kw_only=True):
    """The territories in which a faction's movement may not end. [MOVE-15]"""

    faction: Faction
    closed: frozenset[str] = frozenset()


def move_range(table: Table, faction: Faction) -> MoveRange:
    """How far the faction's next movement may go, determined anew for each. [MOVE-03, MOVE-18]"""
    return quote(table, MoveRange(faction=faction, value=1))


def barred(table: Table, faction: Faction) -> frozenset[str]:
    """Locations in storm, and strongholds that hold forces of two other players already. [MOVE-08, MAP-15]"""
    full = [name for name in facts.strongholds() if not may_enter_stronghold(table, faction, name)]
    places = frozenset(facts.locations_in(table.storm)).union(*map(facts.locations_of, full))
    return quote(table, Barred(faction=faction, places=places)).places


def endings(table: Table, faction: Faction) -> frozenset[str]:
    """Territories with forces of the ally, but never the Polar Sink. [MOVE-15]"""
    closed: frozenset[str] = frozenset()
    ally = table.ally_of(faction)
    if ally and ruling(table, "move_end_on_ally") == "off":
        closed = table.territories_of(ally) - {facts.territory_of(facts.POLAR_SINK).id}
    return quote(table, Endings(faction=faction, closed=closed)).closed


@contributes(MoveRange, rule="MOVE-04", order=20)
def ornithopters(moved: MoveRange, table: Table) -> MoveRange:
    """Three territories with a force in a city as the movement starts. [MOVE-04, MOVE-05, MAP-13]"""
    for place, number in table.places_of(moved.faction).items():
        if not facts.territory_of(place).ornithopters:
            continue
        if number > table.count(landed_mark(moved.faction, place)):
            changed = moved.step(ORNITHOPTERS, f"Ornithopters in {facts.name(place)}", "MOVE-04")
            return msgspec.structs.replace(changed, plain=ORNITHOPTERS)
    return moved
