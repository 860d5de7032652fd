"""Events of the Revival Phase that are more than forces, leaders and spice moving."""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Table, pay

__all__ = ["ExtraRevivalsOffered", "ExtraRevivalsSettled", "NothingRevived"]


class NothingRevived(Event, tag=True, frozen=True):
    """A faction that could have revived something does not. [REVIVAL-01]"""

    faction: Faction

    public: ClassVar = ("faction",)
    lines: ClassVar = ("{faction} revives nothing.",)


class ExtraRevivalsOffered(Event, tag=True, frozen=True):
    """A faction says for how many further forces of its ally it will pay. [EMP-13, WINPOL-22]

    The price is set aside, so that nothing else can be done with it while others answer.
    """

    payer: Faction
    ally: Faction
    number: int
    price: int

    public: ClassVar = ("payer", "ally", "number", "price")

    def sentences(self) -> tuple[str, ...]:
        return (f"{{payer}} offers to pay for {facts.counted(self.number, 'further revival')} of {{ally}}.",)

    def apply(self, table: Table) -> Table:
        return pay(table, self.price, self.payer, f"escrow.{self.payer}")


class ExtraRevivalsSettled(Event, tag=True, frozen=True):
    """All answers are in: what was set aside is its owner's again, and what is due is paid next. [EMP-13, EMP-21]"""

    payer: Faction

    public: ClassVar = ("payer",)

    def apply(self, table: Table) -> Table:
        held = f"escrow.{self.payer}"
        return pay(table, table.spice_of(held), held, self.payer)
