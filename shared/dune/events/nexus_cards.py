"""Events of the Nexus cards: drawn, given up and played.

What happens to faces and to the deck during a closing draw is seen by nobody: only who holds a card afterwards is
public. [NEXUS-13, NEXUS-21, NEXUS-22, NEXUS-23]
"""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Piece, Table, move_piece, put, reorder, zone

OPEN = "_open"
COUNTED = {"nexus_deck_counted", "nexus_discard_counted"}
"""Zones of games in which a ruling makes their faces, or their size, public. [NEXUS-22, NEXUS-23]"""


class NexusCardMoved(Event, tag=True, frozen=True):
    """A Nexus card goes from one of its zones to another in a closing draw; nobody is told. [NEXUS-11, NEXUS-14]"""

    card: Piece
    source: str
    target: str

    lines: ClassVar = ("{card} is discarded in the closing draw.",)

    def fields_for(self, audience: str) -> tuple[str, ...]:
        """Nothing, unless a ruling makes the pile or the numbers public. [NEXUS-22, NEXUS-23]"""
        if self.target.endswith(OPEN):
            return "card", "source", "target"
        return ("source", "target") if {self.source, self.target} & COUNTED else ()

    def apply(self, table: Table) -> Table:
        return move_piece(table, self.card, self.source, self.target)


class NexusDeckRebuilt(Event, tag=True, frozen=True):
    """The discarded Nexus cards are the deck again, in an order that nobody sees; nor that it happened. [NEXUS-15]"""

    source: str
    deck: str
    order: tuple[Piece, ...]

    def fields_for(self, audience: str) -> tuple[str, ...]:
        """Nothing, unless a ruling makes the pile or the numbers public. [NEXUS-22, NEXUS-23]"""
        return ("source", "deck") if self.source.endswith(OPEN) or self.source in COUNTED else ()

    def apply(self, table: Table) -> Table:
        for card in zone(table, self.source):
            table = move_piece(table, card, self.source, self.deck)
        return reorder(table, self.deck, self.order)


class NexusCardHeld(Event, tag=True, frozen=True):
    """What a seat holds when its closing draw is done, told to it alone. [NEXUS-13, NEXUS-21]"""

    faction: Faction
    card: Piece

    private: ClassVar = {"faction": ("faction", "card")}
    lines: ClassVar = ("{faction} now holds {card}.",)


class NexusDrawsEnded(Event, tag=True, frozen=True):
    """A closing draw is over; who holds a Nexus card now. [NEXUS-09, NEXUS-23]"""

    holders: tuple[Faction, ...]

    public: ClassVar = ("holders",)
    lines: ClassVar = ("Nexus cards have been drawn; held now by: {holders}.",)


class NexusCardForfeited(Event, tag=True, frozen=True):
    """A new partner in an alliance gives up its Nexus card; others do not see which. [NEXUS-18, NEXUS-19]"""

    faction: Faction
    card: Piece
    source: str
    target: str

    public: ClassVar = ("faction",)
    private: ClassVar = {"faction": ("card",)}
    lines: ClassVar = ("{faction} gives up {card}.", "{faction} gives up its Nexus card.")

    def fields_for(self, audience: str) -> tuple[str, ...]:
        """The face goes onto an open pile by ruling alone. [NEXUS-22]"""
        return ("faction", "card") if self.target.endswith(OPEN) else super().fields_for(audience)

    def apply(self, table: Table) -> Table:
        return move_piece(table, self.card, self.source, self.target)


class NexusCardPlayed(Event, tag=True, frozen=True):
    """A Nexus card is played for one effect and discarded: the receipt of its use. [NEXUS-21, NEXUS-27, NEXUS-28]

    `mode` is `cunning`, `betrayal` or `secret_ally`, `effect` the name of what is played for, `text` in words.
    """

    faction: Faction
    card: Piece
    mode: str
    effect: str
    text: str
    source: str
    target: str

    public: ClassVar = ("faction", "card", "mode", "effect", "text")
    lines: ClassVar = ("{faction} plays {card}: {text}",)

    def apply(self, table: Table) -> Table:
        return move_piece(table, self.card, self.source, self.target)


class TraitorInquiryAnswered(Event, tag=True, frozen=True):
    """A player has said whether any leader of another is its traitor: heard by those named. [NEXUS-ECAZ-09]"""

    faction: Faction
    player: Faction
    answer: str
    heard_by: tuple[Faction, ...]

    public: ClassVar = ("faction", "player")
    private: ClassVar = {"heard_by": ("answer",)}
    lines: ClassVar = (
        "{player} has traitors among the leaders of {faction}: {answer}.",
        "{player} answers {faction} about traitors.",
    )


class UnusedCardSeen(Event, tag=True, frozen=True):
    """What a winner sees of the cards that a loser did not play: one, or none where none is left.

    Nobody else is told, so that none can tell an empty hand; that the card was played for it is public.
    [NEXUS-CHOAM-06, NEXUS-60]
    """

    faction: Faction
    loser: Faction
    cards: tuple[Piece, ...]

    private: ClassVar = {"faction": ("faction", "loser", "cards")}
    lines: ClassVar = ("Of the cards that {loser} did not play {faction} sees {cards}.",)

    def apply(self, table: Table) -> Table:
        known = (*table.memory.get(self.faction, ()), *(f"hand.{self.loser}={card}" for card in self.cards))
        return put(table, memory={**table.memory, self.faction: known})
