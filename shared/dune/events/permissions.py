"""Events of standing permissions between allies."""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Mark, Table, mark


class PermissionSet(Event, tag=True, frozen=True):
    """The owner of an alliance power lends it to its ally, or withholds it, until it says otherwise. [ALLY-10]

    `what` is the power in words. Only the allied pair knows. The ally's name is part of what is remembered: a new ally
    starts with the default.
    """

    owner: Faction
    ally: Faction
    power: str
    granted: str
    what: str = ""

    private: ClassVar = {
        "owner": ("owner", "ally", "power", "granted", "what"),
        "ally": ("owner", "ally", "power", "granted", "what"),
    }

    def sentences(self) -> tuple[str, ...]:
        """Lent, or withheld."""
        does = "lends" if self.granted == "granted" else "withholds from"
        return (f"{{owner}} {does} {{ally}}: {{what}}.",)

    def apply(self, table: Table) -> Table:
        value = (self.ally, self.granted)
        return mark(table, f"permit.{self.power}.{self.owner}", Mark(value, (self.owner, self.ally)))
