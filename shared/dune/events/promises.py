"""Events of promises between allies: how much of its spice one will pay for the other at most."""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Mark, Table, mark

__all__ = ["PromiseMade", "promise_mark"]


def promise_mark(purpose: str, payer: Faction) -> str:
    """The mark that holds an ally and the most that `payer` pays for it; the allied pair sees it. [BID-16, ALLY-08]"""
    return f"promise.{purpose}.{payer}"


class PromiseMade(Event, tag=True, frozen=True):
    """A faction promises its ally a maximum contribution for a purpose, until it says otherwise. [BID-16, ALLY-08]

    Only the allied pair knows. The ally's name is part of what is remembered: a new ally starts with nothing.
    """

    payer: Faction
    ally: Faction
    purpose: str
    amount: int

    private: ClassVar = {
        "payer": ("payer", "ally", "purpose", "amount"),
        "ally": ("payer", "ally", "purpose", "amount"),
    }

    def sentences(self) -> tuple[str, ...]:
        """So much, or nothing any more."""
        if not self.amount:
            return ("{payer} promises {ally} nothing for {purpose} any more.",)
        return ("{payer} promises {ally} up to {amount} spice for {purpose}.",)

    def apply(self, table: Table) -> Table:
        value = (self.ally, str(self.amount))
        name = promise_mark(self.purpose, self.payer)
        return mark(table, name, Mark(value, (self.payer, self.ally)) if self.amount else None)
