"""One auction: bids go round until nobody raises, then the card is paid for and handed over. [BID-08..BID-20]"""

from __future__ import annotations

from typing import ClassVar

import msgspec
from msgspec import Struct

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.hooks import quote
from services.rules.engine.moments import Moment
from services.rules.engine.play import Play
from services.rules.engine.windows import VOID
from services.rules.phases.bidding_offer import bid_extras, bid_offer
from services.rules.phases.bidding_quotes import CardPayment, CardShares
from services.rules.phases.hands import has_room
from services.rules.phases.karama import karama_cards, paid_with, pay_karama, stands_in
from services.rules.phases.promises import available_spice
from shared.dune import facts
from shared.dune.events.bidding import BidMade, BidPassed, BidVoided, BidWon, CardBought
from shared.dune.events.forces import SpicePaid
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import BANK, Piece, Table, zone

__all__ = ["Auction", "Bid"]

TAKES = "takes the card"


class Bid(Struct, frozen=True, omit_defaults=True):
    """A bid and how it is settled: own spice and the ally's part, or Karama, `card` then. [BID-18, BID-26]"""

    seat: Faction
    amount: int
    own: int = 0
    ally: Faction = ""
    ally_part: int = 0
    settle: str = "spice"
    card: Piece = ""


class Auction(Flow, tag="auction", frozen=True, omit_defaults=True):
    """The auction of the card that is up. Result: `{"buyer", "card", "how"}`, or None if nobody bid.

    `turn` is whose turn it is, `passed` who passed since the highest bid, `out` those whose pass was final under
    ruling pass_is_final. [BID-10] Moments: `auction.won` (the winner is known, nothing is settled) and
    `auction.paying` (a price is about to be paid, the payment stands).
    """

    is_boundary: ClassVar[bool] = True

    opener: Faction
    turn: Faction = ""
    passed: tuple[Faction, ...] = ()
    high: Bid | None = None
    out: tuple[Faction, ...] = ()
    to_bank: bool = False

    def start(self, play: Play) -> Next:
        """The opener bids or passes first. [BID-06, BID-07]"""
        return self.replace(turn=self.opener).goto("put")

    def put(self, play: Play) -> Next:
        """Ask the seat whose turn it is, whatever it holds: that it could only pass would tell its spice. [BID-09]"""
        high = (self.high.seat, self.high.amount) if self.high else ("", 0)
        return self.ask([bid_offer(play.table, self.turn, *high)], then="heard")

    def heard(self, play: Play, answers: Answers) -> Next:
        """A raise, a pass, or Karama. [BID-09, BID-25, REACT-26]"""
        answer = answers[self.turn]
        if answer["do"] == "pass":
            play.emit(BidPassed(self.turn))
            out = (*self.out, self.turn) if play.ruling("pass_is_final") == "on" else ()
            return self.replace(passed=(*self.passed, self.turn), out=out).goto("pick")
        if answer["do"] == "karama":
            payment = pay_karama(play, self.turn, paid_with(play.table, self.turn, answer), TAKES)
            return self.call(payment, then="taken_or_not") if payment else self.goto("taken")
        if extra := bid_extras().get(answer["do"]):
            return self.call(extra.flow(self.turn, answer), then="put_again")
        bid = _bid(play.table, self.turn, answer)
        play.emit(BidMade(bid.seat, bid.amount, bid.own, bid.ally, bid.ally_part, bid.settle))
        return self.replace(high=bid, passed=()).goto("pick")

    def put_again(self, play: Play, result: Json) -> Next:
        """After an extra the seat is still to bid. [HARK-29]"""
        return self.goto("put")

    def taken_or_not(self, play: Play, result: Json) -> Next:
        """Paid in vain, the seat is still to bid. [BG-47]"""
        return self.goto("put" if result == VOID else "taken")

    def taken(self, play: Play) -> Next:
        """Taken with Karama on the own turn. [BID-25]"""
        return self._taken(play, self.turn, "karama")

    def pick(self, play: Play) -> Next:
        """The next to the right who can bid; nobody left: the highest bid wins. [BID-09, BID-11, BID-12, BID-13]"""
        order = play.table.order
        start = order.index(self.turn) + 1
        done = {*self.passed, *self.out, self.high.seat if self.high else ""}
        for seat in (*order[start:], *order[:start]):
            if seat not in done and has_room(play.table, seat):
                return self.replace(turn=seat).goto("put")
        return self.goto("close")

    def close(self, play: Play) -> Next:
        """Without a bid the card is not sold; else the winner is known. [BID-22]"""
        bid = self.high
        if bid is None:
            return self.done(None)
        return self.call(Moment("auction.won", {"buyer": bid.seat, "amount": bid.amount}), then="settle")

    def settle(self, play: Play, result: Json = None) -> Next:
        """Settle the highest bid as sealed, if its price is due at all. [BID-17, BID-26, KARAMA-19]"""
        bid = self.high
        assert bid is not None
        if not _shares(play.table, bid).value:
            return self.goto("pay_bank")
        if bid.settle == "karama":
            return self.goto("by_karama")
        payment = _payment(play.table, bid)
        if not payment.power:
            return self.goto("paying")
        text = f"The price of this card, {bid.amount} spice, is about to be paid to {facts.name(payment.receiver)}."
        window = cancel_window(payment.power, payment.receiver, text, buyer=bid.seat, amount=bid.amount)
        return self.call(window, then="pay_or_not")

    def by_karama(self, play: Play) -> Next:
        """Karama is discarded, nothing is paid; is it gone, the lot begins again. [BID-26, BID-27]"""
        bid = self.high
        assert bid is not None
        held = karama_cards(play.table, bid.seat)
        if not held:
            return self._voided(play, bid)
        card = bid.card if bid.card in held else held[0]
        if not stands_in(play.table, bid.seat, card):
            play.emit(BidWon(bid.seat, bid.amount))
        payment = pay_karama(play, bid.seat, card, TAKES)
        return self.call(payment, then="won_or_not") if payment else self.goto("won")

    def won_or_not(self, play: Play, result: Json) -> Next:
        """Paid in vain: the bid is paid in spice if it can be, else it is void. [KARAMA-22]"""
        bid = self.high
        assert bid is not None
        if result != VOID:
            play.emit(BidWon(bid.seat, bid.amount))
            return self.goto("won")
        if available_spice(play.table, bid.seat) < bid.amount:
            return self._voided(play, bid)
        return self.replace(high=Bid(bid.seat, bid.amount, bid.amount)).goto("settle")

    def won(self, play: Play) -> Next:
        """The highest bid is settled with Karama. [BID-26]"""
        assert self.high is not None
        return self._taken(play, self.high.seat, "karama")

    def _voided(self, play: Play, bid: Bid) -> Next:
        """Bidding on the card begins again. [BID-27]"""
        play.emit(BidVoided(bid.seat, bid.amount))
        return Auction(self.opener).goto("start")

    def pay_or_not(self, play: Play, outcome: Json) -> Next:
        """A cancelled payment goes to the bank, every part of it. [EMP-19]"""
        return self.replace(to_bank=outcome is not None).goto("paying")

    def paying(self, play: Play) -> Next:
        """Whoever may change who pays which part. [BID-18]"""
        assert self.high is not None
        subject = {"buyer": self.high.seat, "amount": self.high.amount}
        return self.call(Moment("auction.paying", subject), then="pay")

    def pay(self, play: Play, result: Json) -> Next:
        """The price goes to whom it is due. [BID-17, BID-19]"""
        assert self.high is not None
        if self.to_bank:
            return self.goto("pay_bank")
        shares = _shares(play.table, self.high)
        due = _payment(play.table, msgspec.structs.replace(self.high, ally=shares.ally))
        return self._paid(play, due.receiver, due.ally_receiver)

    def pay_bank(self, play: Play) -> Next:
        """The price goes to the bank."""
        return self._paid(play, BANK, BANK)

    def _paid(self, play: Play, receiver: str, ally_receiver: str) -> Next:
        bid = self.high
        assert bid is not None
        shares = _shares(play.table, bid)
        if not shares.to_owner:
            receiver = ally_receiver = BANK
        play.emit(BidWon(bid.seat, bid.amount))
        if shares.own:
            play.emit(SpicePaid(bid.seat, shares.own, receiver, "treachery card"))
        if shares.ally_part:
            play.emit(SpicePaid(shares.ally, shares.ally_part, ally_receiver, "the ally's treachery card"))
        return self._taken(play, bid.seat, "spice")

    def _taken(self, play: Play, seat: Faction, how: str) -> Next:
        """The card goes into the hand at once, unseen by others. [BID-20]"""
        card = zone(play.table, "auction_card")[0]
        play.emit(CardBought(seat, card, how))
        return self.done({"buyer": seat, "card": card, "how": how})


def _bid(table: Table, seat: Faction, answer: dict[str, Json]) -> Bid:
    """The bid that an answer makes; without a stated split own spice comes first. [BID-18]"""
    amount = int(answer["amount"])
    if answer["do"] == "bid_karama":
        return Bid(seat, amount, settle="karama", card=paid_with(table, seat, answer))
    own = min(amount, available_spice(table, seat))
    if answer["do"] == "bid_split":
        own = amount - int(answer["ally_part"])
    ally = table.ally_of(seat) if own < amount else None
    return Bid(seat, amount, own, ally or "", amount - own)


def _payment(table: Table, bid: Bid) -> CardPayment:
    return quote(table, CardPayment(buyer=bid.seat, ally=bid.ally, value=bid.amount))


def _shares(table: Table, bid: Bid) -> CardShares:
    base = CardShares(buyer=bid.seat, value=bid.amount, own=bid.own, ally=bid.ally, ally_part=bid.ally_part)
    return quote(table, base)
