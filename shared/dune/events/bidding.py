"""Events of the Bidding Phase: the row, the card that comes up, bids, sales, and cards that return."""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Mark, Piece, Table, mark, marked, move_piece, pay, put

__all__ = [
    "AuctionCardDealt",
    "AuctionOpened",
    "BidMade",
    "BidPassed",
    "BidVoided",
    "BidWon",
    "CardBought",
    "CardNoted",
    "CardsReturned",
    "HandsCounted",
    "escrow_of",
]

ROW = "auction_row"
UP = "auction_card"
DECK = "treachery_deck"
NUMBER, OF, OPENER = "phase.auction.number", "phase.auction.of", "phase.auction.opener"
"""Public marks: which card of how many is up, and who opened it. [BID-05, BID-07]"""
AMOUNT, BIDDER = "phase.bid.amount", "phase.bid.bidder"
"""Public marks: the standing bid. [BID-08]"""
SEALED, RESERVED = "phase.bid.sealed", "phase.bid.reserved"
"""Private marks: how the standing bid will be settled (for its bidder), and the ally's part (for the ally). [BID-18]"""


_NO_BID: dict[str, Mark | None] = dict.fromkeys((AMOUNT, BIDDER, SEALED, RESERVED))


def escrow_of(faction: Faction) -> str:
    """The holder of spice that a faction has sealed as payment of the standing bid. [BID-31]"""
    return f"escrow.{faction}"


def _released(table: Table) -> Table:
    """No standing bid any more: what was sealed for it is its owners' again. [BID-31]"""
    return marked(_unsealed(table), _NO_BID)


def _unsealed(table: Table) -> Table:
    for faction in table.seats:
        if sealed := table.spice.get(escrow_of(faction), 0):
            table = pay(table, sealed, escrow_of(faction), faction)
    return table


class HandsCounted(Event, tag=True, frozen=True):
    """The numbers of treachery cards are announced; they stay public for the phase. [BID-01]"""

    counts: dict[Faction, int]

    public: ClassVar = ("counts",)
    lines: ClassVar = ("Treachery cards held: {counts}.",)


class AuctionCardDealt(Event, tag=True, frozen=True):
    """A card is dealt face down to the end of the auction row; nobody sees which. [BID-02, BID-29]"""

    card: Piece
    number: int

    public: ClassVar = ("number",)
    lines: ClassVar = ("Card {number} of the auction row is dealt.",)

    def apply(self, table: Table) -> Table:
        table = move_piece(table, self.card, DECK, ROW, bottom=True)
        return mark(table, OF, Mark(self.number, public=True))


class AuctionOpened(Event, tag=True, frozen=True):
    """The first card of the row comes up, to be opened by the named faction. [BID-05, BID-06, BID-07]"""

    card: Piece
    number: int
    opener: Faction

    public: ClassVar = ("number", "opener")
    lines: ClassVar = ("Card {number} is up; {opener} opens.",)

    def apply(self, table: Table) -> Table:
        table = move_piece(table, self.card, ROW, UP)
        up = {NUMBER: Mark(self.number, public=True), OPENER: Mark(self.opener, public=True)}
        return marked(table, up)


class BidMade(Event, tag=True, frozen=True):
    """A bid. How it will be settled is sealed with it: `settle` is `spice` or `karama`. [BID-08, BID-18, BID-26]

    `own` and `ally_part` are set aside in escrow until the bid is overbid or paid; both are 0 for `karama`. The
    ally knows its own part only. [BID-31]
    """

    faction: Faction
    amount: int
    own: int = 0
    ally: Faction = ""
    ally_part: int = 0
    settle: str = "spice"

    public: ClassVar = ("faction", "amount")
    private: ClassVar = {"faction": ("own", "ally_part", "settle"), "ally": ("ally_part",)}

    def sentences(self) -> tuple[str, ...]:
        """The bidder reads how its bid is settled, an ally that pays a part its own part, others the amount."""
        settled = "{faction} bids {amount} of its own {settle}."
        if self.settle != "spice":
            settled = "{faction} bids {amount}, to be settled with {settle}."
        elif self.ally_part:
            settled = "{faction} bids {amount} {settle}: {own} of its own, {ally_part} of its ally's."
        return settled, "{faction} bids {amount}; your part of it is {ally_part}.", "{faction} bids {amount}."

    def apply(self, table: Table) -> Table:
        table = pay(_unsealed(table), self.own, self.faction, escrow_of(self.faction))
        marks = dict(_NO_BID)
        if self.ally_part:
            table = pay(table, self.ally_part, self.ally, escrow_of(self.ally))
            marks[RESERVED] = Mark(self.ally_part, (self.ally,))
        sealed = (self.settle, str(self.own), str(self.ally_part))
        marks[SEALED] = Mark(sealed, (self.faction,))
        marks[AMOUNT] = Mark(self.amount, public=True)
        marks[BIDDER] = Mark(self.faction, public=True)
        return marked(table, marks)


class BidPassed(Event, tag=True, frozen=True):
    """A faction lets the standing bid be, for now. [BID-09, BID-10]"""

    faction: Faction

    public: ClassVar = ("faction",)
    lines: ClassVar = ("{faction} passes.",)


class BidVoided(Event, tag=True, frozen=True):
    """The highest bid cannot be settled: bidding on the card begins again from its opener. [BID-27]"""

    faction: Faction
    amount: int

    public: ClassVar = ("faction", "amount")
    lines: ClassVar = ("{faction} cannot settle its bid of {amount}; bidding on the card begins again.",)

    def apply(self, table: Table) -> Table:
        return _released(table)


class BidWon(Event, tag=True, frozen=True):
    """The highest bid stands: it is settled now, and what was sealed for it can be paid. [BID-11, BID-31]"""

    faction: Faction
    amount: int

    public: ClassVar = ("faction", "amount")
    lines: ClassVar = ("{faction} wins the card with a bid of {amount}.",)

    def apply(self, table: Table) -> Table:
        return _released(table)


class CardBought(Event, tag=True, frozen=True):
    """The card up for auction goes into a hand, unseen by others; `how` is `spice` or `karama`. [BID-20, BID-25]

    What was paid stands in the payments before it; for a card taken with Karama nothing is. [BID-28]
    """

    faction: Faction
    card: Piece
    how: str

    public: ClassVar = ("faction", "how")
    private: ClassVar = {"faction": ("card",)}
    lines: ClassVar = ("{faction} takes {card} ({how}).", "{faction} takes the card ({how}).")

    def apply(self, table: Table) -> Table:
        return move_piece(_released(table), self.card, UP, f"hand.{self.faction}", bottom=True)


class CardsReturned(Event, tag=True, frozen=True):
    """Nobody bid: the card and the rest of the row go back on top of the deck, as they were dealt. [BID-22, BID-29]"""

    cards: tuple[Piece, ...]
    number: int

    public: ClassVar = ("number",)

    def sentences(self) -> tuple[str, ...]:
        return (f"Back to the treachery deck, unsold: {facts.counted(self.number, 'card')}.",)

    def apply(self, table: Table) -> Table:
        for card in reversed(self.cards):
            source = UP if card in table.zones.get(UP, ()) else ROW
            table = move_piece(table, card, source, DECK)
        return table


class CardNoted(Event, tag=True, frozen=True):
    """A faction that may keep notes writes down who took a card it has seen; nobody else knows. [ATR-17]"""

    faction: Faction
    card: Piece
    holder: Faction

    private: ClassVar = {"faction": ("faction", "card", "holder")}
    lines: ClassVar = ("{faction} notes: {holder} has taken {card}.",)

    def apply(self, table: Table) -> Table:
        known = (*table.memory.get(self.faction, ()), f"taken_by_{self.holder}={self.card}")
        return put(table, memory={**table.memory, self.faction: known})
