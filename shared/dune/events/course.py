"""Events of the course of the game: beginning, turns, phases, order, marks, the end."""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.settings import Faction, Settings
from shared.dune.table import Mark, Result, Table, mark, put

_PHASES = {
    "storm": "Storm",
    "spice_blow": "Spice Blow and Nexus",
    "charity": "CHOAM Charity",
    "bidding": "Bidding",
    "revival": "Revival",
    "shipment": "Shipment and Movement",
    "battle": "Battle",
    "collection": "Spice Collection",
    "mentat": "Mentat Pause",
}
_WAYS = {
    "strongholds": "enough strongholds are held",
    "most_strongholds": "nobody holds more strongholds after the last turn",
    "prediction": "the prediction has come true",
    "guild": "nobody else has won by the last turn",
    "fremen": "nobody has taken Dune from them by the last turn",
    "fremen_without_guild": "nobody else has won by the last turn, and no Guild is in play",
}


class GameBegan(Event, tag=True, frozen=True):
    """The game begins with these settings; everybody may know them. [START-01]"""

    settings: Settings

    public: ClassVar = ("settings",)
    lines: ClassVar = ("The game begins.",)

    def apply(self, table: Table) -> Table:
        return put(table, settings=self.settings)


class TurnBegan(Event, tag=True, frozen=True):
    """The turn marker advances. [MENTAT-17]"""

    turn: int

    public: ClassVar = ("turn",)
    lines: ClassVar = ("Turn {turn}.",)

    def apply(self, table: Table) -> Table:
        return put(table, turn=self.turn)


class PhaseBegan(Event, tag=True, frozen=True):
    """A phase of the turn begins. [GEN-04]"""

    phase: str

    public: ClassVar = ("phase",)

    def sentences(self) -> tuple[str, ...]:
        return (f"Phase: {_PHASES.get(self.phase, self.phase)}.",)

    def apply(self, table: Table) -> Table:
        return put(table, phase=self.phase)


class OrderSet(Event, tag=True, frozen=True):
    """Storm order for the turn, First Player first. [GEN-08, GEN-09]"""

    order: tuple[Faction, ...]

    public: ClassVar = ("order",)
    lines: ClassVar = ("Storm order: {order}.",)

    def apply(self, table: Table) -> Table:
        return put(table, order=self.order)


class MarkSet(Event, tag=True, frozen=True):
    """A rule remembers something that is no piece, for its audience only; it has no line in the log."""

    name: str
    value: str | int | bool | tuple[str, ...]
    everybody: bool = False
    seen_by: tuple[Faction, ...] = ()

    private: ClassVar = {"seen_by": ("name", "value")}

    def fields_for(self, audience: str) -> tuple[str, ...]:
        """A public mark is seen by all, another by those named."""
        return ("name", "value") if self.everybody else Event.fields_for(self, audience)

    def apply(self, table: Table) -> Table:
        return mark(table, self.name, Mark(self.value, self.seen_by, self.everybody))


class MarksCleared(Event, tag=True, frozen=True):
    """Marks that have served their time are forgotten: all whose names begin with one of the prefixes."""

    prefixes: tuple[str, ...]
    audience: tuple[Faction, ...] = ()
    everybody: bool = True

    private: ClassVar = {"audience": ("prefixes",)}

    def fields_for(self, audience: str) -> tuple[str, ...]:
        """Clearing is as public as the marks were."""
        return ("prefixes",) if self.everybody else Event.fields_for(self, audience)

    def apply(self, table: Table) -> Table:
        kept = {name: held for name, held in table.marks.items() if not name.startswith(self.prefixes)}
        return put(table, marks=kept)


class GameEnded(Event, tag=True, frozen=True):
    """Somebody has won. [MENTAT-05..MENTAT-16]"""

    result: Result

    public: ClassVar = ("result",)

    def sentences(self) -> tuple[str, ...]:
        """Who has won, and why."""
        winners = " and ".join(facts.name(winner) for winner in self.result.winners)
        wins = "wins" if len(self.result.winners) == 1 else "win"
        return (f"The game is over. {winners} {wins}: {_WAYS.get(self.result.way, self.result.way)}.",)

    def apply(self, table: Table) -> Table:
        return put(table, result=self.result)
