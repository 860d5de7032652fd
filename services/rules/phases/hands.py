"""What several phases ask about treachery cards: what is held or may be, who has room, what lies in the deck."""

from __future__ import annotations

from collections import Counter

from services.rules.engine.hooks import Quote, quote
from services.rules.engine.play import Play
from services.rules.engine.quotes import HandLimit
from shared.dune import facts
from shared.dune.memo import by_identity
from shared.dune.settings import Faction
from shared.dune.table import Piece, Table, zone

__all__ = [
    "DECK",
    "DISCARD",
    "BoundCards",
    "bound_cards",
    "cards_of",
    "copies_gone",
    "hand_limit",
    "hand_limits",
    "has_room",
    "is_card_left",
    "may_hold",
    "top_card",
]

DECK, DISCARD = "treachery_deck", "treachery_discard"


def cards_of(table: Table, seat: Faction, face: str) -> tuple[Piece, ...]:
    """The cards of one face in a hand: private knowledge of its owner."""
    return tuple(card for card in table.hand(seat) if facts.face(card) == face)


class BoundCards(Quote, frozen=True, kw_only=True):
    """The cards of a hand that its owner must keep, for what it has shown or said it will do with them.

    [ATR-09, TRUTH-06]
    """

    faction: Faction
    cards: tuple[Piece, ...] = ()


def bound_cards(table: Table, faction: Faction) -> tuple[Piece, ...]:
    """The cards that a faction cannot spend otherwise now: private knowledge of its owner. [ATR-09, TRUTH-06]"""
    return quote(table, BoundCards(faction=faction)).cards


def copies_gone(table: Table, face: str) -> int:
    """How many copies of a card face lie openly: in the discard pile, or removed from the game."""
    return _faces(zone(table, DISCARD)).get(face, 0) + _faces(zone(table, "treachery_removed")).get(face, 0)


@by_identity
def _faces(pile: tuple[Piece, ...]) -> dict[str, int]:
    """How many cards of each face lie in a pile."""
    return dict(Counter(map(facts.face, pile)))


def may_hold(table: Table, seat: Faction, face: str) -> bool:
    """Whether public facts allow that a seat holds a card of this face. [WINPOL-01, WINPOL-03]

    Hand counts are public during Bidding only, so only then an empty hand excludes a seat. [SECRET-03]
    """
    if copies_gone(table, face) >= facts.treachery(face).count:
        return False
    return table.phase != "bidding" or bool(table.hand(seat))


def hand_limits(table: Table, faction: Faction) -> HandLimit:
    """How many treachery cards a faction may hold, and why. [START-24]"""
    number = facts.faction(faction).hand_limit
    base = HandLimit(faction=faction).step(number, "Treachery cards by the faction sheet", "START-24")
    return quote(table, base)


def hand_limit(table: Table, faction: Faction) -> int:
    """How many treachery cards a faction may hold. [START-24]"""
    return hand_limits(table, faction).value


def has_room(table: Table, faction: Faction) -> bool:
    """Whether a faction is below its hand limit. [BID-02]"""
    return len(table.hand(faction)) < hand_limit(table, faction)


def is_card_left(table: Table) -> bool:
    """Whether a treachery card can be drawn, after a reshuffle if need be: for all to see. [GEN-19]"""
    return bool(zone(table, DECK) or zone(table, DISCARD))


def top_card(play: Play) -> Piece | None:
    """The treachery card on top; an empty deck is rebuilt from the discards first; None if none is left. [GEN-19]"""
    return play.top(DECK, DISCARD)
