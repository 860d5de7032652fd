"""Events of Shipment and Movement."""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Table, pay

__all__ = ["ShipmentDeclared", "ShipmentFundsFreed", "ShipmentWithdrawn"]


class ShipmentDeclared(Event, tag=True, frozen=True):
    """A shipment is declared completely, before it can be answered and before it is paid. [SHIP-08, WINPOL-22]

    `price` is in spice, `help` the part of it that `ally` will pay, `way` the word for how the forces travel. Both
    parts are set aside, so that nothing else can be done with them while others answer.
    """

    faction: Faction
    way: str
    number: int
    target: str
    price: int
    help: int = 0
    ally: Faction = ""

    public: ClassVar = ("faction", "way", "number", "target", "price", "help", "ally")

    def sentences(self) -> tuple[str, ...]:
        """The whole declaration; the ally's part only if there is one."""
        forces = facts.counted(self.number, "force")
        shared = ", of which {ally} pays {help}" if self.help else ""
        return (f"{{faction}} declares a {{way}} of {forces} to {{target}}, price {{price}}{shared}.",)

    def apply(self, table: Table) -> Table:
        table = pay(table, self.price - self.help, self.faction, f"escrow.{self.faction}")
        return pay(table, self.help, self.ally, f"escrow.{self.ally}") if self.help else table


class ShipmentFundsFreed(Event, tag=True, frozen=True):
    """What was set aside for a shipment is its owners' again: all answers are in, it is now paid or withdrawn."""

    faction: Faction
    ally: Faction = ""

    public: ClassVar = ("faction", "ally")

    def apply(self, table: Table) -> Table:
        for owner in (self.faction, self.ally):
            if owner:
                table = pay(table, table.spice_of(f"escrow.{owner}"), f"escrow.{owner}", owner)
        return table


class ShipmentWithdrawn(Event, tag=True, frozen=True):
    """A declared shipment does not take place and costs nothing. `lost`: no other may follow. [GUILD-28, SHIP-18]"""

    faction: Faction
    why: str
    lost: bool = False

    public: ClassVar = ("faction", "why", "lost")
    lines: ClassVar = ("The shipment of {faction} does not take place ({why}).",)
