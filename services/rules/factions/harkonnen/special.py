"""The special Karama of Harkonnen: once a game an exchange of cards. [HARK-25..HARK-30]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.factions.harkonnen import NAME
from services.rules.phases.bidding_offer import BidExtra, bid_extra
from services.rules.phases.karama import may_use_special, special_off, use_special
from shared.dune import facts
from shared.dune.events.exchange import CardsGiven, CardsTaken
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, ManyOf, Number, Off, Option, Variant
from shared.dune.table import Piece, Table

ADVANCED = ("advanced",)
RULES = ("HARK-25", "KARAMA-23")
LABEL = "Discard Karama and exchange cards"


def _targets(table: Table) -> list[Faction]:
    """Who has a card to take; hand counts are public in Bidding. [HARK-30, SECRET-03]"""
    return [seat for seat in table.seats if seat != NAME and table.hand(seat)]


def _is_open(table: Table) -> bool:
    """Whether by public facts an exchange is possible now. [REACT-23]"""
    return may_use_special(table, NAME) and bool(_targets(table))


def _whom(table: Table) -> Fields | Off:
    """Whose cards, and how many: up to the whole hand. [HARK-25, HARK-26]"""
    if off := special_off(table, NAME):
        return off
    hands = {
        seat: Fields({"number": Number(1, len(table.hand(seat)), "cards", "HARK-26")})
        for seat in _targets(table)
    }
    names = {seat: facts.name(seat) for seat in hands}
    return Fields({"whose": Variant(hands, names)}, labels={"whose": "Whose cards"})


@at("auction.between", rule="HARK-29", modes=ADVANCED)
def between_auctions(table: Table, subject: Json) -> Flow | None:
    """Before each auction. [REACT-23]"""
    return OfferExchange() if _is_open(table) else None


class OfferExchange(Flow, tag="harkonnen.offer_exchange", frozen=True, omit_defaults=True):
    """The question between auctions. [HARK-29, REACT-23]"""

    def start(self, play: Play) -> Next:
        """Asked whether they hold a Karama or not, so that being asked tells nothing."""
        found = _whom(play.table)
        variants, off = {"pass": Fields({})}, {}
        if isinstance(found, Off):
            off = {"exchange": found}
        else:
            variants["exchange"] = found
        made = offer(
            NAME,
            "exchange",
            "Once a game you may discard a Karama, take cards of another player unseen, and give back as many.",
            Variant(variants, {"pass": "No exchange", "exchange": LABEL}, off),
            default={"do": "pass"},
            rules=RULES,
            clock="window",
            window=True,
        )
        return self.ask([made], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """Carry it out; nothing can cancel it. [KARAMA-25]"""
        answer = answers[NAME]
        if answer["do"] == "pass":
            return self.done()
        return self.call(Exchange(answer["whose"]["do"], answer["whose"]["number"]), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """On to the auction."""
        return self.done()


@bid_extra
class ExchangeOnTurn(BidExtra):
    """The same on its own turn to bid; the auction then goes on where it stood. [HARK-29]"""

    name: ClassVar[str] = "exchange"
    rule: ClassVar[str] = "HARK-29"
    label: ClassVar[str] = LABEL
    modes: ClassVar[tuple[str, ...]] = ADVANCED

    def possible(self, table: Table, seat: Faction) -> bool:
        """Harkonnen, once a game, while somebody else has a card."""
        return seat == NAME and _is_open(table)

    def fields(self, table: Table, seat: Faction) -> Fields | Off:
        """Whose cards and how many."""
        return _whom(table)

    def flow(self, seat: Faction, answer: Json) -> Flow:
        """Carry it out."""
        return Exchange(answer["whose"]["do"], answer["whose"]["number"])


class Exchange(Flow, tag="harkonnen.exchange", frozen=True, omit_defaults=True):
    """Cards are taken unseen, and as many given back. [HARK-25..HARK-28, REACT-24, WINPOL-17]

    `default` is what silence gives back: drawn at random before the question is put.
    """

    blocks_interrupts: ClassVar[bool] = True

    target: Faction
    number: int
    default: tuple[Piece, ...] = ()

    def start(self, play: Play) -> Next:
        """Which cards is random if they are fewer than all. [HARK-26]"""
        use_special(play, NAME, "exchanges cards")
        cards = play.chance.shuffled(play.table.hand(self.target))[: self.number]
        play.emit(CardsTaken(NAME, self.target, cards, self.number))
        drawn = play.chance.shuffled(play.table.hand(NAME))[: self.number]
        return self.replace(default=drawn).goto("choose")

    def choose(self, play: Play) -> Next:
        """Any cards of its hand, those just taken too; the hand may be too large until then. [HARK-27, HARK-28]"""
        options = tuple(Option(card, facts.name(card)) for card in play.table.hand(NAME))
        made = offer(
            NAME,
            "exchange_back",
            f"Give {facts.counted(self.number, 'card')} back to {facts.name(self.target)}.",
            Fields({"cards": ManyOf(options, self.number, self.number)}, labels={"cards": "Cards"}),
            default={"cards": list(self.default)},
            rules=("HARK-25", "HARK-27"),
        )
        return self.ask([made], then="give")

    def give(self, play: Play, answers: Answers) -> Next:
        """They change hands unseen by others."""
        play.emit(CardsGiven(NAME, self.target, tuple(answers[NAME]["cards"]), self.number))
        return self.done()
