"""Events of cards, leaders and decks."""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.facts.special import special_leaders
from shared.dune.settings import Faction
from shared.dune.table import Piece, Table, add_pieces, mark, move_piece, put, reorder

DISCARD = "treachery_discard"


class PiecesLaid(Event, tag=True, frozen=True):
    """Pieces come into the game in a zone, whose visibility says who knows them. [START-06, START-20]"""

    zone: str
    pieces: tuple[Piece, ...]

    public: ClassVar = ("zone",)

    def apply(self, table: Table) -> Table:
        return add_pieces(table, self.zone, self.pieces)


class Shuffled(Event, tag=True, frozen=True):
    """A zone was shuffled into an order that nobody sees. [START-20, GEN-19]"""

    zone: str
    order: tuple[Piece, ...]

    public: ClassVar = ("zone",)
    lines: ClassVar = ("The {zone} is shuffled.",)

    def apply(self, table: Table) -> Table:
        return reorder(table, self.zone, self.order)


class PilesGathered(Event, tag=True, frozen=True):
    """All pieces of some zones go under those of another, to be shuffled next. [GEN-19, BLOW-10, BLOW-20]"""

    sources: tuple[str, ...]
    target: str
    except_pieces: tuple[Piece, ...] = ()

    public: ClassVar = ("sources", "target")

    def apply(self, table: Table) -> Table:
        for source in self.sources:
            for piece in table.zones.get(source, ()):
                if piece not in self.except_pieces:
                    table = move_piece(table, piece, source, self.target, bottom=True)
        return table


class CardDrawn(Event, tag=True, frozen=True):
    """A faction takes the top card of the treachery deck into its hand; only it sees which. [START-19, HARK-05]"""

    faction: Faction
    card: Piece
    reason: str

    public: ClassVar = ("faction", "reason")
    private: ClassVar = {"faction": ("card",)}
    lines: ClassVar = ("{faction} draws {card} ({reason}).", "{faction} draws a treachery card ({reason}).")

    def apply(self, table: Table) -> Table:
        return move_piece(table, self.card, "treachery_deck", f"hand.{self.faction}", bottom=True)


class CardDiscarded(Event, tag=True, frozen=True):
    """A treachery card goes face up to the discard pile, from a hand or another zone. [GEN-20, CARD-02]"""

    faction: Faction
    card: Piece
    reason: str
    source: str = ""
    target: str = DISCARD

    public: ClassVar = ("faction", "card", "reason")
    lines: ClassVar = ("{faction} discards {card} ({reason}).",)

    def apply(self, table: Table) -> Table:
        return move_piece(table, self.card, self.source or f"hand.{self.faction}", self.target)


class CardSeen(Event, tag=True, frozen=True):
    """A faction is shown a hidden piece; it may remember it for the rest of the game. [ATR-03, ATR-06]"""

    faction: Faction
    what: str
    piece: Piece

    public: ClassVar = ("faction", "what")
    private: ClassVar = {"faction": ("piece",)}
    lines: ClassVar = ("{faction} sees {piece} ({what}).", "{faction} looks at a card ({what}).")

    def apply(self, table: Table) -> Table:
        known = (*table.memory.get(self.faction, ()), f"{self.what}={self.piece}")
        return put(table, memory={**table.memory, self.faction: known})


class LeaderKilled(Event, tag=True, frozen=True):
    """A leader goes to its owner's tanks, face down if it had been revived before. [BATTLE-50, REVIVAL-16]"""

    leader: Piece
    faction: Faction
    cause: str
    face_down: bool = False
    source: str = ""

    public: ClassVar = ("leader", "faction", "cause", "face_down")
    lines: ClassVar = ("{leader} of {faction} is killed ({cause}).",)

    def apply(self, table: Table) -> Table:
        target = f"tanks_down.{self.faction}" if self.face_down else f"tanks.{self.faction}"
        moved = move_piece(table, self.leader, self.source or f"leaders.{self.faction}", target)
        return moved_on(moved, self.leader)


class LeaderRevived(Event, tag=True, frozen=True):
    """A leader returns to its owner's pool. [REVIVAL-15, REVIVAL-18, GHOLA-02]"""

    leader: Piece
    faction: Faction
    reason: str

    public: ClassVar = ("leader", "faction", "reason")
    lines: ClassVar = ("{faction} revives {leader} ({reason}).",)

    def apply(self, table: Table) -> Table:
        pool = "special_leaders" if self.leader in special_leaders() else "leaders"
        source = next(name for name in self._tanks(table) if self.leader in table.zones.get(name, ()))
        table = move_piece(table, self.leader, source, f"{pool}.{self.faction}", bottom=True)
        unseen = hidden_cycle(self.leader)
        steps, table = 1 + table.count(unseen), mark(table, unseen, None)
        return moved_on(table, self.leader, steps)

    def _tanks(self, table: Table) -> tuple[str, ...]:
        """Where it may lie: face up, face down, or face down and known to two alone."""
        hidden = (f"tanks_hidden.{self.faction}.{captor}" for captor in table.seats)
        return f"tanks.{self.faction}", f"tanks_down.{self.faction}", *hidden


def hidden_cycle(leader: Piece) -> str:
    """The secret mark of the steps in the revival cycle that a leader took by a death that few saw. [HARK-21]"""
    return f"hidden_cycle.{leader}"


def moved_on(table: Table, leader: Piece, steps: int = 1) -> Table:
    """Every death and every revival moves a leader on in the revival cycle. [REVIVAL-17]"""
    return put(table, leader_cycle={**table.leader_cycle, leader: table.leader_cycle.get(leader, 0) + steps})
