"""Events of the setup."""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Mark, Piece, Table, mark, move_piece


class TraitorsDealt(Event, tag=True, frozen=True):
    """Traitor cards are dealt; only their receiver sees them. [START-07]"""

    faction: Faction
    cards: tuple[Piece, ...]

    public: ClassVar = ("faction",)
    private: ClassVar = {"faction": ("cards",)}
    lines: ClassVar = ("{faction} is dealt the traitors {cards}.", "{faction} is dealt traitors.")

    def apply(self, table: Table) -> Table:
        for card in self.cards:
            table = move_piece(table, card, "traitor_deck", f"traitors_dealt.{self.faction}", bottom=True)
        return table


class TraitorsKeptBack(Event, tag=True, frozen=True):
    """A player keeps traitor cards; the rest dealt to it are out of play, known to it alone. [START-07, START-10]"""

    faction: Faction
    kept: tuple[Piece, ...]

    public: ClassVar = ("faction",)
    private: ClassVar = {"faction": ("kept",)}

    def sentences(self) -> tuple[str, ...]:
        """Who may keep all of them has chosen nothing. [START-09]"""
        said = "{faction} has chosen its traitor." if len(self.kept) == 1 else "{faction} keeps its traitors."
        return "{faction} keeps {kept}.", said

    def apply(self, table: Table) -> Table:
        source = f"traitors_dealt.{self.faction}"
        for card in table.zones.get(source, ()):
            target = "traitors" if card in self.kept else "traitors_out"
            table = move_piece(table, card, source, f"{target}.{self.faction}", bottom=True)
        return table


class PredictionMade(Event, tag=True, frozen=True):
    """Somebody wrote down a faction and a turn; only it knows which, until the end. [START-05, BG-03]"""

    faction: Faction
    predicted: Faction
    turn: int

    public: ClassVar = ("faction",)
    private: ClassVar = {"faction": ("predicted", "turn")}
    lines: ClassVar = ("{faction} predicts {predicted} in turn {turn}.", "{faction} has made its prediction.")

    def apply(self, table: Table) -> Table:
        value = (self.predicted, str(self.turn))
        table = mark(table, f"has_predicted.{self.faction}", Mark(True, public=True))
        return mark(table, f"prediction.{self.faction}", Mark(value, (self.faction,)))
