"""Events of the Storm Phase."""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Mark, Table, mark


class StormDialed(Event, tag=True, frozen=True):
    """A dial is revealed. [STORM-05, SECRET-07]"""

    faction: Faction
    number: int

    public: ClassVar = ("faction", "number")
    lines: ClassVar = ("{faction} dialed {number}.",)


class StormDistanceSet(Event, tag=True, frozen=True):
    """The number of sectors that the storm will move is known. [STORM-09]"""

    distance: int

    public: ClassVar = ("distance",)

    def sentences(self) -> tuple[str, ...]:
        return (f"The storm will move {facts.counted(self.distance, 'sector')}.",)

    def apply(self, table: Table) -> Table:
        return mark(table, "phase.storm_distance", Mark(self.distance, public=True))


class ShieldWallDestroyed(Event, tag=True, frozen=True):
    """The Shield Wall falls: what it sheltered is open to storm for the rest of the game. [ATOMICS-05]"""

    by: Faction

    public: ClassVar = ("by",)
    lines: ClassVar = ("{by} destroys the Shield Wall.",)

    def apply(self, table: Table) -> Table:
        return mark(table, "shield_wall_destroyed", Mark(True, public=True))
