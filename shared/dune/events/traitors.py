"""Events of the traitor deck after setup: cards drawn from it and given back. [NEXUS-HARK-01, NEXUS-HARK-07]"""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Piece, Table, move_piece

DECK = "traitor_deck"


class TraitorsDrawn(Event, tag=True, frozen=True):
    """A faction takes cards from the top of the traitor deck; only it sees which. [NEXUS-HARK-13, NEXUS-HARK-43]"""

    faction: Faction
    cards: tuple[Piece, ...]
    number: int

    public: ClassVar = ("faction", "number")
    private: ClassVar = {"faction": ("cards",)}
    lines: ClassVar = (
        "{faction} draws the traitors {cards}.",
        "{faction} draws from the traitor deck ({number}).",
    )

    def apply(self, table: Table) -> Table:
        for card in self.cards:
            table = move_piece(table, card, DECK, f"traitors.{self.faction}", bottom=True)
        return table


class TraitorsReturned(Event, tag=True, frozen=True):
    """A faction gives traitor cards back to the deck, which is shuffled next. [NEXUS-HARK-13, NEXUS-HARK-39]"""

    faction: Faction
    cards: tuple[Piece, ...]
    number: int

    public: ClassVar = ("faction", "number")
    private: ClassVar = {"faction": ("cards",)}
    lines: ClassVar = (
        "{faction} gives the traitors {cards} back.",
        "{faction} gives traitors back to the deck ({number}).",
    )

    def apply(self, table: Table) -> Table:
        for card in self.cards:
            table = move_piece(table, card, f"traitors.{self.faction}", DECK)
        return table


class UnusedTraitorsLaid(Event, tag=True, frozen=True):
    """The cards that a faction did not keep go to the bottom of the deck. [NEXUS-HARK-02, RULING-58]"""

    faction: Faction

    public: ClassVar = ("faction",)

    def apply(self, table: Table) -> Table:
        source = f"traitors_out.{self.faction}"
        for card in table.zones.get(source, ()):
            table = move_piece(table, card, source, DECK, bottom=True)
        return table
