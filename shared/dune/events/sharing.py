"""Events of what players give or show of their own accord: gifts between allies, secrets shown."""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Table, pay

__all__ = ["GiftAnnounced", "GiftKept", "GiftTaken", "SecretShown"]


def _held(faction: Faction) -> str:
    return f"gift.{faction}"


class GiftAnnounced(Event, tag=True, frozen=True):
    """A faction gives spice to its ally; it is set aside until nobody can stop the gift. [EMP-10, WINPOL-22]"""

    faction: Faction
    ally: Faction
    amount: int

    public: ClassVar = ("faction", "ally", "amount")
    lines: ClassVar = ("{faction} gives {amount} spice to its ally {ally}.",)

    def apply(self, table: Table) -> Table:
        return pay(table, self.amount, self.faction, _held(self.faction))


class GiftTaken(Event, tag=True, frozen=True):
    """The gift is the ally's, to use at once. [EMP-10]"""

    faction: Faction
    ally: Faction
    amount: int

    public: ClassVar = ("faction", "ally", "amount")
    lines: ClassVar = ("{ally} has {amount} spice from {faction}.",)

    def apply(self, table: Table) -> Table:
        return pay(table, self.amount, _held(self.faction), self.ally)


class GiftKept(Event, tag=True, frozen=True):
    """The gift was stopped: the spice is its owner's again. [EMP-20, KARAMA-09]"""

    faction: Faction
    amount: int

    public: ClassVar = ("faction", "amount")
    lines: ClassVar = ("{faction} keeps its {amount} spice.",)

    def apply(self, table: Table) -> Table:
        return pay(table, self.amount, _held(self.faction), self.faction)


class SecretShown(Event, tag=True, frozen=True):
    """A faction shows a secret of its own to some others; nobody else notices. [SECRET-06, ALLY-02]

    `what` is `card`, `traitor`, `spice` or `prediction`. It is true when it is shown, and proves nothing later.
    """

    faction: Faction
    to: tuple[Faction, ...]
    what: str
    value: str

    private: ClassVar = {
        "faction": ("faction", "to", "what", "value"),
        "to": ("faction", "to", "what", "value"),
    }
    lines: ClassVar = ("{faction} shows {to} its {what}: {value}.",)
