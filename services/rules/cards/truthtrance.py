"""Truthtrance: one question to one player, at any time, answered truly. [TRUTH-01..TRUTH-18]"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from services.rules.cards.playing import discard
from services.rules.cards.truth_forms import EITHER, FREE, NO, UNKNOWN, YES, Question, form_of, forms
from services.rules.engine.flow import Answers, Flow, Frame, Next
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.standing import StandingAction, standing
from services.rules.phases.battle_plan import committed_plan, this_battle
from services.rules.phases.hands import cards_of
from shared.dune import facts
from shared.dune.events.pledges import PledgeMade
from shared.dune.events.truth import TruthAnswered, TruthAsked, TruthQueued, TruthWithdrawn
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, OneOf, Option, Variant
from shared.dune.table import Table

__all__ = ["Truthtrance"]

CARD = "truthtrance"
ASKERS = "truth.askers"
"""Public mark: who has put a question that is not settled yet, in the order of asking."""
QUEUE = "truth.queue"
"""Secret mark: the questions that wait, as JSON of their flows. [TRUTH-11]"""
KEEP: Json = {"do": "keep"}


@standing
class AskTruth(StandingAction):
    """The control of a holder; nobody else has one, and nobody sees who has. [CARD-08, REACT-70]"""

    kind: ClassVar[str] = CARD
    rule: ClassVar[str] = "TRUTH-01"
    why: ClassVar[str] = "Ask one other player one question that can be answered yes or no."

    def stops_for(self, flow: Flow) -> bool:
        """While somebody must answer something else nothing can start; another Truthtrance queues. [WINPOL-17]"""
        return not isinstance(flow, Truthtrance)

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Variant | None:
        """All forms of questions."""
        return _questions(table, seat) if self.available(table, seat, stack) else None

    def available(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> bool:
        """Whether the seat holds a Truthtrance that it is not asking with already."""
        asking = table.names(ASKERS).count(seat)
        return len(cards_of(table, seat, CARD)) > asking

    def occasion(self, table: Table, seat: Faction) -> str:
        """The battle or turn that it asks about. [TRUTH-06, TRUTH-07]"""
        return this_battle(table)

    def default(self, table: Table, seat: Faction) -> Json:
        """Some question: a standing offer has no clock, so it is never put by itself."""
        other = next(faction for faction in table.seats if faction != seat)
        return {"do": "cards_at_least", "seat": other, "cards": 1}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """The question, with the asked player's committed plan, which no answer may contradict. [WINPOL-18]"""
        sealed = {s: p for s in table.seats if s != seat and (p := committed_plan(stack, s)) is not None}
        return Truthtrance(seat, answer, sealed)


def _questions(table: Table, seat: Faction) -> Variant:
    """What may be asked. [TRUTH-04, TRUTH-12, TRUTH-13]"""
    others = tuple(faction for faction in table.seats if faction != seat)
    intents = ruling(table, "truthtrance_scope") == "past_present_intent"
    found: dict[str, Fields] = {}
    labels: dict[str, str] = {}
    for kind in forms(table):
        if (intents or not kind.is_intent) and (fields := kind.fields(table, others)):
            found[kind.name], labels[kind.name] = fields, kind.label
    return Variant(found, labels)


class Truthtrance(Flow, tag="truthtrance", frozen=True, omit_defaults=True):
    """One question until it is settled. `sealed`: the battle plans that other seats had committed when it was asked.

    `is_next`: it waited in the queue and its turn has come. [TRUTH-11]
    """

    asker: Faction
    question: Question
    sealed: Json = None
    is_next: bool = False

    blocks_interrupts: ClassVar[bool] = True

    @property
    def asked(self) -> Faction:
        """Who is asked."""
        return str(self.question["seat"])

    @property
    def text(self) -> str:
        """The question in words."""
        return form_of(self.question).text(self.question)

    def start(self, play: Play) -> Next:
        """If another question is open, wait for it; otherwise the game stops here. [TRUTH-03, TRUTH-11, WINPOL-17]"""
        askers = play.table.names(ASKERS)
        if askers and not self.is_next:
            play.set_public(ASKERS, (*askers, self.asker))
            play.set_secret(QUEUE, (*play.table.names(QUEUE), msgspec.json.encode(self).decode()))
            play.emit(TruthQueued(self.asker, self.asked, self.text))
            return self.done()
        if not askers:
            play.set_public(ASKERS, (self.asker,))
        return self.goto("put")

    def put(self, play: Play) -> Next:
        """The question is public. [TRUTH-01]"""
        play.emit(TruthAsked(self.asker, self.asked, self.text))
        return self.goto("wait")

    def wait(self, play: Play) -> Next:
        """The asked player must answer. [TRUTH-02, REACT-71]"""
        return self.ask([self._answer_offer(play.table)], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """A yes or no spends the card, and binds where it is about what will be done. [TRUTH-02, TRUTH-06, TRUTH-10]"""
        answer = answers[self.asked]["choice"]
        play.emit(TruthAnswered(self.asker, self.asked, self.text, answer))
        if answer == UNKNOWN:
            return self.goto("again")
        discard(play, self.asker, CARD, "asks a question")
        pledge = form_of(self.question).pledge(play.table, self.question)
        if pledge and play.ruling("truthtrance_enforcement") == "computed_where_possible":
            said = f"{self.text} {answer.capitalize()}."
            play.emit(PledgeMade(self.asked, *pledge, answer, "truth", said))
        return self.goto("over")

    def again(self, play: Play) -> Next:
        """After "unknown" the holder asks something else or keeps the card. [TRUTH-10]"""
        asked = _questions(play.table, self.asker)
        variants = {**asked.variants, "keep": Fields({})}
        labels = {**asked.labels, "keep": "Keep the card"}
        why = f'{facts.name(self.asked)} answered "unknown". Ask another question, or keep the card.'
        made = offer(
            self.asker, "truth_again", why, Variant(variants, labels), default=KEEP, rules=("TRUTH-10",)
        )
        return self.ask([made], then="asked_again")

    def asked_again(self, play: Play, answers: Answers) -> Next:
        """The new question, or none."""
        answer = answers[self.asker]
        if answer == KEEP:
            play.emit(TruthWithdrawn(self.asker))
            return self.goto("over")
        return self.replace(question=answer).goto("put")

    def over(self, play: Play) -> Next:
        """The next question that waits, in storm order, or play goes on where it stopped. [TRUTH-11]"""
        left = list(play.table.names(ASKERS))
        left.remove(self.asker)
        if left:
            play.set_public(ASKERS, tuple(left))
        else:
            play.clear(ASKERS)
        waiting = [msgspec.json.decode(row, type=Truthtrance) for row in play.table.names(QUEUE)]
        if not waiting:
            return self.goto("finished")
        order = play.table.order or play.table.seats
        following = min(waiting, key=lambda flow: order.index(flow.asker))
        waiting.remove(following)
        if waiting:
            play.set_secret(QUEUE, tuple(msgspec.json.encode(flow).decode() for flow in waiting))
        else:
            play.clear(QUEUE)
        return self.call(following.replace(is_next=True), then="finished")

    def finished(self, play: Play, result: Json = None) -> Next:
        """Nothing of it is left."""
        return self.done()

    def _answer_offer(self, table: Table) -> Offer:
        true = self._truths(table)
        lie = "That would not be true." if UNKNOWN not in true else ""
        labels = {YES: "Yes", NO: "No", UNKNOWN: "Unknown: I cannot know, or it is not in my power"}
        options = tuple(
            Option(value, labels[value]) if value in true else Option(value, labels[value], lie, "TRUTH-02")
            for value in EITHER
        )
        return offer(
            self.asked,
            "truth_answer",
            f"{facts.name(self.asker)} asks you in Truthtrance: {self.text}",
            Fields({"choice": OneOf(options)}, labels={"choice": "Answer"}),
            default={"choice": UNKNOWN if UNKNOWN in true else true[0]},
            about={"asker": self.asker, "question": self.text, "on_honour": self.question["do"] == FREE},
            rules=("TRUTH-02", "TRUTH-18"),
            window=True,
        )

    def _truths(self, table: Table) -> tuple[str, ...]:
        """The answers that are true as far as the program can tell. [TRUTH-17]"""
        if ruling(table, "truthtrance_enforcement") == "honour":
            return EITHER
        sealed = (self.sealed or {}).get(self.asked)
        return form_of(self.question).truths(table, self.question, sealed)
