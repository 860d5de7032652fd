"""Events of deals and bribes. All of it is public. [DEAL-02, DEAL-06]"""

from __future__ import annotations

from typing import ClassVar

import msgspec
from msgspec import Struct

from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Mark, Table, mark, pay

__all__ = [
    "BribePaid",
    "Deal",
    "DealAgreed",
    "DealAnswered",
    "DealEnded",
    "DealProposed",
    "DealVoid",
    "EndingAsked",
    "agreed_deals",
    "open_deals",
]

OPEN, AGREED = "turn.proposal.", "deal."
"""Public marks, each with a deal as JSON: proposals lapse with the turn, what was agreed stays on record. [DEAL-02]"""
COUNT = "deals"
"""Public mark: how many deals were proposed so far; the number of the newest."""


class Deal(Struct, frozen=True, omit_defaults=True):
    """The terms of a deal. `give` and `take` are spice that `by` pays and is paid; `yes` names who has agreed.

    `by_term` and `to_term` are what each side will not do this turn, in the words of `services.rules`; empty: nothing.
    `ending` names who is ready to cancel it. [DEAL-03]
    """

    number: int
    by: Faction
    to: tuple[Faction, ...]
    text: str
    give: int = 0
    take: int = 0
    by_term: str = ""
    to_term: str = ""
    yes: tuple[Faction, ...] = ()
    ending: tuple[Faction, ...] = ()

    @property
    def parties(self) -> tuple[Faction, ...]:
        """Everybody whom it binds."""
        return (self.by, *self.to)


def _deals(table: Table, prefix: str) -> tuple[Deal, ...]:
    if COUNT not in table.marks:
        return ()
    found = [str(held.value) for name, held in table.marks.items() if name.startswith(prefix)]
    return tuple(sorted((msgspec.json.decode(row, type=Deal) for row in found), key=lambda deal: deal.number))


def open_deals(table: Table) -> tuple[Deal, ...]:
    """The proposals that wait for answers, oldest first."""
    return _deals(table, OPEN)


def agreed_deals(table: Table) -> tuple[Deal, ...]:
    """The deals that were agreed and not cancelled, oldest first."""
    return _deals(table, AGREED)


def _put(table: Table, prefix: str, deal: Deal) -> Table:
    value = msgspec.json.encode(deal).decode()
    return mark(table, f"{prefix}{deal.number}", Mark(value, public=True))


class DealProposed(Event, tag=True, frozen=True):
    """A faction proposes a deal to others. [DEAL-01, REACT-75]"""

    number: int
    by: Faction
    to: tuple[Faction, ...]
    text: str
    give: int = 0
    take: int = 0
    by_term: str = ""
    to_term: str = ""
    terms: str = ""

    public: ClassVar = ("number", "by", "to", "text", "give", "take", "by_term", "to_term", "terms")
    lines: ClassVar = ("Deal {number}: {by} proposes to {to}: {terms}",)

    def apply(self, table: Table) -> Table:
        deal = Deal(
            self.number, self.by, self.to, self.text, self.give, self.take, self.by_term, self.to_term
        )
        return mark(_put(table, OPEN, deal), COUNT, Mark(self.number, public=True))


class DealAnswered(Event, tag=True, frozen=True):
    """One addressed faction agrees or refuses; a refusal ends the proposal. [REACT-75]"""

    number: int
    faction: Faction
    answer: str

    public: ClassVar = ("number", "faction", "answer")

    def sentences(self) -> tuple[str, ...]:
        """Yes or no."""
        return (f"Deal {{number}}: {{faction}} {'agrees' if self.answer == 'agree' else 'refuses'}.",)

    def apply(self, table: Table) -> Table:
        deal = next(deal for deal in open_deals(table) if deal.number == self.number)
        if self.answer != "agree":
            return mark(table, f"{OPEN}{self.number}", None)
        return _put(table, OPEN, msgspec.structs.replace(deal, yes=(*deal.yes, self.faction)))


class DealAgreed(Event, tag=True, frozen=True):
    """All parties have agreed: the deal binds. [DEAL-02]"""

    number: int
    parties: tuple[Faction, ...]

    public: ClassVar = ("number", "parties")
    lines: ClassVar = ("Deal {number} is made between {parties}.",)

    def apply(self, table: Table) -> Table:
        deal = next(deal for deal in open_deals(table) if deal.number == self.number)
        return _put(mark(table, f"{OPEN}{self.number}", None), AGREED, deal)


class DealVoid(Event, tag=True, frozen=True):
    """A proposal is off: it was withdrawn, or what it says has become impossible. [DEAL-03]"""

    number: int
    why: str

    public: ClassVar = ("number", "why")
    lines: ClassVar = ("Deal {number} is off: {why}.",)

    def apply(self, table: Table) -> Table:
        return mark(table, f"{OPEN}{self.number}", None)


class EndingAsked(Event, tag=True, frozen=True):
    """One party is ready to cancel a deal. [DEAL-03]"""

    number: int
    faction: Faction

    public: ClassVar = ("number", "faction")
    lines: ClassVar = ("Deal {number}: {faction} would cancel it.",)

    def apply(self, table: Table) -> Table:
        deal = next(deal for deal in agreed_deals(table) if deal.number == self.number)
        return _put(table, AGREED, msgspec.structs.replace(deal, ending=(*deal.ending, self.faction)))


class DealEnded(Event, tag=True, frozen=True):
    """All parties have cancelled a deal. [DEAL-03]"""

    number: int

    public: ClassVar = ("number",)
    lines: ClassVar = ("Deal {number} is cancelled by all its parties.",)

    def apply(self, table: Table) -> Table:
        return mark(table, f"{AGREED}{self.number}", None)


class BribePaid(Event, tag=True, frozen=True):
    """Spice is paid to a player who is no ally; it comes to lie with `holder`. [DEAL-06]"""

    payer: Faction
    to: Faction
    amount: int
    text: str
    holder: str

    public: ClassVar = ("payer", "to", "amount", "text", "holder")
    lines: ClassVar = ("{payer} pays {to} a bribe of {amount} spice: {text}",)

    def apply(self, table: Table) -> Table:
        return pay(table, self.amount, self.payer, self.holder)
