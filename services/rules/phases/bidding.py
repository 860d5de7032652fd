"""The Bidding Phase: as many cards as there are players with room are auctioned, one after another. [BID-01..BID-07]

Moments: `auction.between` (before each auction), `auction.card_up` (a card is up and not yet open to bids),
`auction.bought` (subject: buyer, card, how).
"""

from __future__ import annotations

from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import quote
from services.rules.engine.moments import Moment
from services.rules.engine.play import Play
from services.rules.phases.bidding_auction import Auction
from services.rules.phases.bidding_quotes import AuctionSize
from services.rules.phases.course import phase
from services.rules.phases.hands import DECK, has_room, top_card
from shared.dune.events.bidding import AuctionCardDealt, AuctionOpened, CardsReturned, HandsCounted
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Table, zone

__all__ = ["BiddingPhase", "next_with_room"]


def next_with_room(table: Table, after: Faction = "") -> Faction | None:
    """The next faction with room in storm order to the right of `after`, or from the first. [BID-06, BID-07, GEN-10]"""
    start = table.order.index(after) + 1 if after else 0
    turned = (*table.order[start:], *table.order[:start])
    return next((faction for faction in turned if has_room(table, faction)), None)


@phase("bidding")
class BiddingPhase(Flow, tag="bidding", frozen=True, omit_defaults=True):
    """One Bidding Phase. `number` counts the cards that came up, `opener` opened the last of them."""

    number: int = 0
    opener: Faction = ""

    def start(self, play: Play) -> Next:
        """Hand counts are announced, the row is dealt. [BID-01, BID-02, BID-03, GEN-19]"""
        table = play.table
        play.emit(HandsCounted({faction: len(table.hand(faction)) for faction in table.seats}))
        wanted = sum(has_room(table, faction) for faction in table.seats)
        size = quote(table, AuctionSize(value=wanted)).value
        for number in range(1, size + 1):
            card = top_card(play)
            if card is None:
                break
            play.emit(AuctionCardDealt(card, number))
        return self.goto("next_card")

    def next_card(self, play: Play) -> Next:
        """Between auctions something may be put in; without a card left the phase is over. [BID-04]"""
        if not zone(play.table, "auction_row"):
            return self.done()
        return self.call(Moment("auction.between"), then="come_up")

    def come_up(self, play: Play, result: Json) -> Next:
        """The next card comes up. [BID-05, BID-06, BID-07, BID-14]"""
        row = zone(play.table, "auction_row")
        opener = next_with_room(play.table, self.opener)
        if opener is None:
            return self.goto("unsold")
        play.emit(AuctionOpened(row[0], self.number + 1, opener))
        flow = self.replace(number=self.number + 1, opener=opener)
        return flow.call(Moment("auction.card_up"), then="open")

    def open(self, play: Play, result: Json) -> Next:
        """Whoever may see the card first has; bids are taken. [BID-24]"""
        return self.call(Auction(self.opener), then="closed")

    def closed(self, play: Play, sale: Json) -> Next:
        """Sold: whoever gains by it does, then the next card. Not sold: the phase is over. [BID-21, BID-22]"""
        if sale is None:
            return self.goto("unsold")
        return self.call(Moment("auction.bought", sale), then="after_sale")

    def after_sale(self, play: Play, result: Json) -> Next:
        """Go on."""
        return self.goto("next_card")

    def unsold(self, play: Play) -> Next:
        """All that is left returns, the unsold card on top. [BID-22, BID-29]"""
        left = (*zone(play.table, "auction_card"), *zone(play.table, "auction_row"))
        play.emit(CardsReturned(left, len(left)))
        if play.ruling("auction_return_order") == "shuffle":
            play.shuffle(DECK)
        return self.done()
