"""Events of an exchange of treachery cards: only the two see which, others how many. [HARK-25]"""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Piece, Table, move_piece

__all__ = ["CardsGiven", "CardsTaken"]


def _passed(table: Table, cards: tuple[Piece, ...], giver: Faction, taker: Faction) -> Table:
    for card in cards:
        table = move_piece(table, card, f"hand.{giver}", f"hand.{taker}", bottom=True)
    return table


class CardsTaken(Event, tag=True, frozen=True):
    """A player takes cards of another's hand, unseen before they are taken. [HARK-25, HARK-26]"""

    faction: Faction
    other: Faction
    cards: tuple[Piece, ...]
    number: int

    public: ClassVar = ("faction", "other", "number")
    private: ClassVar = {"faction": ("cards",), "other": ("cards",)}

    def sentences(self) -> tuple[str, ...]:
        """The two read the cards, others the number."""
        number = facts.counted(self.number, "card")
        return "{faction} takes {cards} of {other}.", f"{{faction}} takes {number} of {{other}}."

    def apply(self, table: Table) -> Table:
        return _passed(table, self.cards, self.other, self.faction)


class CardsGiven(Event, tag=True, frozen=True):
    """A player gives cards of its own choice to another. [HARK-25, HARK-27]"""

    faction: Faction
    other: Faction
    cards: tuple[Piece, ...]
    number: int

    public: ClassVar = ("faction", "other", "number")
    private: ClassVar = {"faction": ("cards",), "other": ("cards",)}

    def sentences(self) -> tuple[str, ...]:
        """The two read the cards, others the number."""
        number = facts.counted(self.number, "card")
        return "{faction} gives {cards} to {other}.", f"{{faction}} gives {number} to {{other}}."

    def apply(self, table: Table) -> Table:
        return _passed(table, self.cards, self.faction, self.other)
