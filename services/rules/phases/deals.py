"""Deals: terms proposed openly, agreed to, on record for all. They do not stop play. [DEAL-01..DEAL-11, REACT-75]"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.standing import StandingAction, standing
from services.rules.phases.bribes import may_bribe, pay_bribe
from services.rules.phases.deal_terms import NOTHING, pledges_from, said, term_options
from services.rules.phases.pledges import end_pledges
from services.rules.phases.promises import available_spice
from shared.dune import facts
from shared.dune.events.deals import (
    COUNT,
    Deal,
    DealAgreed,
    DealAnswered,
    DealEnded,
    DealProposed,
    DealVoid,
    EndingAsked,
    agreed_deals,
    open_deals,
)
from shared.dune.settings import Faction
from shared.dune.shapes import (
    Condition,
    Fields,
    IfThen,
    Json,
    ManyOf,
    Number,
    Off,
    OneOf,
    Option,
    Shape,
    Text,
    Variant,
)
from shared.dune.table import Table

MOST_OPEN = 3
"""Proposals that one faction may have open at a time, so that the table stays readable."""
MOST_SPICE = 50
"""The most spice that a proposal may ask for; what the other holds is secret and no bound."""
ME, THEM, BOTH = "me", "other", "both"
LABELS = {
    "propose": "Propose a deal to one player",
    "pact": "Propose a pact to several players",
    "withdraw": "Withdraw my proposal",
    "end": "Be ready to cancel a deal",
}


@standing
class ProposeDeal(StandingAction):
    """Propose, withdraw, or be ready to cancel. [DEAL-01, DEAL-03]"""

    kind: ClassVar[str] = "deal"
    rule: ClassVar[str] = "DEAL-01"
    why: ClassVar[str] = "Make an agreement with others. Its terms are public and bind."

    def available(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> bool:
        """There is always something to propose or to withdraw."""
        return True

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Variant:
        """What the seat may do about deals now."""
        variants: dict[str, Fields] = {}
        off: dict[str, Off] = {}
        mine = [deal for deal in open_deals(table) if deal.by == seat]
        if len(mine) < MOST_OPEN:
            others = tuple(faction for faction in table.seats if faction != seat)
            give = available_spice(table, seat) if may_bribe(table) else -1
            checks = ruling(table, "deal_enforcement") == "spice_and_checkable"
            variants["propose"] = _proposal(seat, others, table.ally_of(seat), give, checks)
            if len(others) > 1:
                variants["pact"] = _pact(others)
        else:
            text = "Your earlier proposals are not answered yet: withdraw one."
            off = {name: Off(text, "DEAL-01") for name in ("propose", "pact")}
        if mine:
            variants["withdraw"] = _deal_field(mine)
        if ending := [d for d in agreed_deals(table) if seat in d.parties and seat not in d.ending]:
            variants["end"] = _deal_field(ending)
        return Variant(variants, {n: LABELS[n] for n in LABELS if n in variants or n in off}, off)

    def default(self, table: Table, seat: Faction) -> Json:
        """Some words to the first other player, or the first proposal withdrawn."""
        mine = [deal for deal in open_deals(table) if deal.by == seat]
        if len(mine) >= MOST_OPEN:
            return {"do": "withdraw", "deal": mine[0].number}
        other = next(faction for faction in table.seats if faction != seat)
        terms = {"term": NOTHING, "binds": BOTH, "text": "Let us talk."}
        return {"do": "propose", "to": other, "give": 0, "take": 0, **terms}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Carry it out."""
        return DealSaid(seat, answer)


@lru_cache(maxsize=128)
def _proposal(
    seat: Faction, others: tuple[Faction, ...], ally: Faction | None, give: int, checks: bool
) -> Fields:
    """A deal of two: spice both ways, a checked promise, and words. `give` -1: no bribes now. [DEAL-02, DEAL-06]"""
    needs = tuple(
        IfThen(Condition("to", (ally,)), Condition(field, (0,)), "allies pay each other nothing", "ALLY-04")
        for field in ("give", "take")
        if ally is not None
    )
    binds = (Option(ME, "Me"), Option(THEM, "The other"), Option(BOTH, "Both"))
    return Fields(
        {
            "to": OneOf(tuple(Option(other, facts.name(other)) for other in others)),
            "give": Number(0, max(0, give), "spice", "DEAL-07"),
            "take": Number(0, MOST_SPICE if give >= 0 else 0, "spice", "DEAL-08"),
            "term": term_options(checks),
            "binds": OneOf(binds),
            "text": Text(280, "The terms in words"),
        },
        needs,
        {
            "to": "With",
            "give": "I pay",
            "take": "I am paid",
            "term": "Promise",
            "binds": "It binds",
            "text": "Terms",
        },
    )


@lru_cache(maxsize=128)
def _pact(others: tuple[Faction, ...]) -> Fields:
    """A deal of several, in words."""
    options = tuple(Option(other, facts.name(other)) for other in others)
    shapes: dict[str, Shape] = {
        "to": ManyOf(options, 2, len(options)),
        "text": Text(280, "The terms in words"),
    }
    return Fields(shapes, labels={"to": "With", "text": "Terms"})


def _deal_field(deals: list[Deal]) -> Fields:
    options = tuple(Option(deal.number, f"Deal {deal.number}: {deal.text}") for deal in deals)
    return Fields({"deal": OneOf(options)}, labels={"deal": "Deal"})


class DealSaid(Flow, tag="deal", frozen=True, omit_defaults=True):
    """One word about a deal by somebody who proposes or is a party. [DEAL-01, DEAL-03]"""

    seat: Faction
    answer: Json

    def start(self, play: Play) -> Next:
        """Put it on record."""
        match self.answer["do"]:
            case "propose" | "pact":
                play.emit(_proposed(self.seat, self.answer, play.table.count(COUNT) + 1))
            case "withdraw":
                play.emit(DealVoid(self.answer["deal"], "it was withdrawn"))
            case _:
                _end(play, self.seat, self.answer["deal"])
        return self.done()


def _proposed(seat: Faction, answer: Json, number: int) -> DealProposed:
    to = tuple(answer["to"]) if isinstance(answer["to"], list) else (answer["to"],)
    term, binds = answer.get("term", NOTHING), answer.get("binds", BOTH)
    by_term, to_term = ("" if term == NOTHING or binds == other else term for other in (THEM, ME))
    deal = Deal(
        number, seat, to, answer["text"], answer.get("give", 0), answer.get("take", 0), by_term, to_term
    )
    return DealProposed(number, seat, to, deal.text, deal.give, deal.take, by_term, to_term, said(deal))


def _end(play: Play, seat: Faction, number: int) -> None:
    """A deal ends when all its parties would cancel it; its promises end with it. [DEAL-03]"""
    play.emit(EndingAsked(number, seat))
    deal = next(deal for deal in agreed_deals(play.table) if deal.number == number)
    if set(deal.ending) == set(deal.parties):
        play.emit(DealEnded(number))
        end_pledges(play, lambda pledge: pledge.source == f"deal.{number}", "the deal is cancelled")


@standing
class AnswerDeal(StandingAction):
    """The addressed agree or refuse when they like; a proposal not answered lapses with the turn. [REACT-75]"""

    kind: ClassVar[str] = "deal_answer"
    rule: ClassVar[str] = "DEAL-02"
    why: ClassVar[str] = "A deal is proposed to you. If you agree, it binds you."

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Variant | None:
        """All proposals that wait for the seat; those it cannot agree to say why."""
        waiting = [deal for deal in open_deals(table) if seat in deal.to and seat not in deal.yes]
        if not waiting:
            return None
        options = tuple(_agreeable(table, seat, deal) for deal in waiting)
        variants = {"refuse": _deal_field(waiting)}
        labels = {"agree": "Agree", "refuse": "Refuse"}
        if all(option.off for option in options):
            return Variant(variants, labels, {"agree": Off(options[0].off, "DEAL-07")})
        variants["agree"] = Fields({"deal": OneOf(options)}, labels={"deal": "Deal"})
        return Variant(variants, labels)

    def default(self, table: Table, seat: Faction) -> Json:
        """Refuse the oldest."""
        waiting = [deal for deal in open_deals(table) if seat in deal.to and seat not in deal.yes]
        return {"do": "refuse", "deal": waiting[0].number}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Carry it out."""
        return DealAnswer(seat, answer["deal"], answer["do"])


def _agreeable(table: Table, seat: Faction, deal: Deal) -> Option:
    label = f"Deal {deal.number} of {facts.name(deal.by)}: {said(deal)}"
    if deal.take > available_spice(table, seat):
        return Option(deal.number, label, f"You cannot pay {deal.take} spice now.", "DEAL-07")
    if why := _barred(table, deal):
        return Option(deal.number, label, why, "DEAL-08")
    return Option(deal.number, label)


def _barred(table: Table, deal: Deal) -> str:
    """Why the spice of a deal cannot be paid now, by public facts; empty if it can. [ALLY-04, DEAL-08]"""
    if not deal.give and not deal.take:
        return ""
    if not may_bribe(table):
        return "No bribe is possible now."
    return "Allies pay each other nothing." if table.are_allied(deal.by, deal.to[0]) else ""


class DealAnswer(Flow, tag="deal_answer", frozen=True, omit_defaults=True):
    """One answer of an addressed faction. [REACT-75]"""

    seat: Faction
    number: int
    said: str

    def start(self, play: Play) -> Next:
        """When the last has agreed, spice is paid and the promises bind. [DEAL-02, DEAL-06, DEAL-11]"""
        play.emit(DealAnswered(self.number, self.seat, self.said))
        deal = next((deal for deal in open_deals(play.table) if deal.number == self.number), None)
        if deal is None or set(deal.yes) != set(deal.to):
            return self.done()
        if available_spice(play.table, deal.by) < deal.give:
            play.emit(DealVoid(deal.number, f"{facts.name(deal.by)} cannot pay"))
            return self.done()
        play.emit(DealAgreed(deal.number, deal.parties))
        for payer, to, amount in ((deal.by, deal.to[0], deal.give), (deal.to[0], deal.by, deal.take)):
            if amount:
                pay_bribe(play, payer, to, amount, f"deal {deal.number}")
        play.emit(*pledges_from(deal))
        return self.done()
