"""Events of the end of a turn and of the game: bribes taken, strongholds counted, a prediction come true."""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Table, pay


class StrongholdsCounted(Event, tag=True, frozen=True):
    """How many strongholds count for each faction, or for two allies together. [MENTAT-03..MENTAT-06]

    Of two allies the first in storm order stands in `counts`; `allies` names the other.
    """

    counts: dict[Faction, int]
    allies: dict[Faction, Faction] = {}

    public: ClassVar = ("counts", "allies")

    def sentences(self) -> tuple[str, ...]:
        rows = [f"{self._party(faction)} {number}" for faction, number in sorted(self.counts.items())]
        return (f"Strongholds: {', '.join(rows)}.",)

    def _party(self, faction: Faction) -> str:
        members = [faction, *([self.allies[faction]] if faction in self.allies else [])]
        return " with ".join(facts.name(member) for member in members)


class BribesTaken(Event, tag=True, frozen=True):
    """A faction takes the spice in front of its shield. [MENTAT-01]"""

    faction: Faction
    amount: int

    public: ClassVar = ("faction", "amount")
    lines: ClassVar = ("{faction} takes the {amount} spice in front of its shield.",)

    def apply(self, table: Table) -> Table:
        return pay(table, self.amount, f"bribe.{self.faction}", self.faction)


class PredictionFulfilled(Event, tag=True, frozen=True):
    """A prediction is shown: this faction was to win in this turn, and it did. [MENTAT-09, BG-03]"""

    faction: Faction
    predicted: Faction
    turn: int

    public: ClassVar = ("faction", "predicted", "turn")
    lines: ClassVar = ("{faction} had predicted that {predicted} would win in turn {turn}.",)
