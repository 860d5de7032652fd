"""Events of forces, spice on the board, and the storm."""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.facts.forces import kind_of
from shared.dune.settings import Faction
from shared.dune.table import BANK, TANKS, Table, add_forces, move_forces, pay, put, turn_forces


class ForcesReady(Event, tag=True, frozen=True):
    """Forces come into the game at setup, in reserves or on the board. [START-12]"""

    faction: Faction
    place: str
    kinds: dict[str, int]

    public: ClassVar = ("faction", "place", "kinds")
    lines: ClassVar = ("{faction} has {kinds} in {place}.",)

    def apply(self, table: Table) -> Table:
        return add_forces(table, self.place, self.faction, self.kinds)


class ForcesMoved(Event, tag=True, frozen=True):
    """Forces go from one place to another: shipped, moved, ridden, sent, revived, returned. `how` says which."""

    faction: Faction
    kinds: dict[str, int]
    source: str
    target: str
    how: str

    public: ClassVar = ("faction", "kinds", "source", "target", "how")
    lines: ClassVar = ("{faction}: {kinds} from {source} to {target} ({how}).",)

    def apply(self, table: Table) -> Table:
        return move_forces(table, self.faction, self.kinds, self.source, self.target)


class ForcesKilled(Event, tag=True, frozen=True):
    """Forces go to the tanks. [GEN-16]"""

    faction: Faction
    kinds: dict[str, int]
    place: str
    cause: str

    public: ClassVar = ("faction", "kinds", "place", "cause")
    lines: ClassVar = ("{faction} loses {kinds} in {place} ({cause}).",)

    def apply(self, table: Table) -> Table:
        return move_forces(table, self.faction, self.kinds, self.place, TANKS)


class ForcesTurned(Event, tag=True, frozen=True):
    """Forces on the board are turned over to their other side; `why` in few words. [BG-21]"""

    faction: Faction
    place: str
    number: int
    old: str
    new: str
    why: str

    public: ClassVar = ("faction", "place", "number", "old", "new", "why")

    def sentences(self) -> tuple[str, ...]:
        """What they are now; the ordinary side of forces that have two is that of fighters."""
        one, many = ("fighter", "fighters") if self.new == "regular" else _words(self.new)
        turned = (
            f"a force becomes {_article(one)}" if self.number == 1 else f"{self.number} forces become {many}"
        )
        return (f"{{faction}}: in {{place}} {turned} ({self.why}).",)

    def apply(self, table: Table) -> Table:
        return turn_forces(table, self.faction, self.place, self.number, self.old, self.new)


def _words(kind: str) -> tuple[str, str]:
    return kind_of(kind).one, kind_of(kind).many


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


class SpicePaid(Event, tag=True, frozen=True):
    """Spice changes its holder openly; holders are factions, `bribe.<faction>`, `bank`. [GEN-14]"""

    payer: str
    amount: int
    receiver: str
    reason: str

    public: ClassVar = ("payer", "amount", "receiver", "reason")
    lines: ClassVar = ("{payer} pays {amount} spice to {receiver} ({reason}).",)

    def apply(self, table: Table) -> Table:
        return pay(table, self.amount, self.payer, self.receiver)


class SpiceRemoved(Event, tag=True, frozen=True):
    """Spice on the board is destroyed and returns to the bank. [STORM-13, BLOW-06, LASGUN-05]"""

    place: str
    amount: int
    cause: str

    public: ClassVar = ("place", "amount", "cause")
    lines: ClassVar = ("{amount} spice in {place} is lost ({cause}).",)

    def apply(self, table: Table) -> Table:
        return pay(table, self.amount, self.place, BANK)


class SpiceCollected(Event, tag=True, frozen=True):
    """A faction collects spice from the board. [COLLECT-01]"""

    faction: Faction
    place: str
    amount: int

    public: ClassVar = ("faction", "place", "amount")
    lines: ClassVar = ("{faction} collects {amount} spice in {place}.",)

    def apply(self, table: Table) -> Table:
        return pay(table, self.amount, self.place, self.faction)


class StormMoved(Event, tag=True, frozen=True):
    """The storm marker goes one sector on. [STORM-11]"""

    sector: int

    public: ClassVar = ("sector",)
    lines: ClassVar = ("The storm enters sector {sector}.",)

    def apply(self, table: Table) -> Table:
        if not 1 <= self.sector <= facts.SECTORS:
            raise ValueError(f"there is no sector {self.sector}")
        return put(table, storm=self.sector)
