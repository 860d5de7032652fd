"""Small flows for the tests of the engine: a game of nothing but questions, calls and chance."""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Answers, Flow, Frame, Given, Next
from services.rules.engine.game import Decision, begin_with
from services.rules.engine.loader import load_rules
from services.rules.engine.offering import choose, offer, yes_no
from services.rules.engine.play import Play
from services.rules.engine.standing import StandingAction
from shared.dune.offers import Offer
from shared.dune.settings import Settings
from shared.dune.shapes import Fields, Json, Number, Option, Variant
from shared.dune.table import Table, put

__all__ = [
    "TABLE",
    "AskAll",
    "AskEach",
    "AskWrongly",
    "Caller",
    "Circle",
    "Keeper",
    "Meddle",
    "Sealing",
    "Tell",
    "begun",
]

load_rules()
SEATS = ("atreides", "fremen", "guild")
TABLE = put(Table(), settings=Settings(seats=SEATS), order=SEATS, phase="storm", turn=2)


def begun(flow: Flow, table: Table = TABLE) -> Decision:
    """A game of this flow alone."""
    load_rules()
    return begin_with(flow, table, seed=1)


def bid(seat: str, low: int, high: int = 9, window: bool = False) -> Offer:
    """A question for a number."""
    fields = Fields({"n": Number(low, high)})
    return offer(seat, "test.number", "A number?", fields, default={"n": low}, window=window)


class AskAll(Flow, tag="test.all", frozen=True, omit_defaults=True):
    """Ask all seats at once; the result is the answers. The least number grows with the mark `test.low`."""

    seats: tuple[str, ...] = SEATS
    high: int = 9
    window: bool = False

    def start(self, play: Play) -> Next:
        """Ask."""
        low = play.table.count("test.low")
        return self.ask([bid(seat, low, self.high, self.window) for seat in self.seats], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """Tell the answers, in the order in which they come."""
        for seat, answer in answers.items():
            play.set_public(f"test.{seat}", answer["n"])
        play.set_public("test.order", tuple(answers))
        return self.done({seat: answer["n"] for seat, answer in answers.items()})


class Sealing(AskAll, tag="test.sealing", frozen=True, omit_defaults=True):
    """Notes what is sealed; asks something else first where `test.low` is odd; an answer falls when it becomes 4."""

    def start(self, play: Play) -> Next:
        """Something else first, or the question."""
        if play.table.count("test.low") % 2:
            return self.call(Even(), then="again")
        return AskAll.start(self, play)

    def again(self, play: Play, result: Json) -> Next:
        """Ask again."""
        return self.goto("start")

    def sealed(self, play: Play, seat: str, answer: Json) -> None:
        """Only its seat sees it."""
        play.set_secret(f"test.sealed.{seat}", answer["n"], seat)

    def still_holds(self, before: Offer, now: Offer) -> bool:
        """Not once the least number is 4."""
        return now.default["n"] != 4


class Even(Flow, tag="test.even", frozen=True, omit_defaults=True):
    """Makes the least number even, after a question to one seat."""

    def start(self, play: Play) -> Next:
        """Ask the Guild, which is asked by the flow below as well."""
        return self.ask([bid("guild", 0)], then="done_so")

    def done_so(self, play: Play, answers: Answers) -> Next:
        """One more."""
        play.set_public("test.low", play.table.count("test.low") + 1)
        return self.done()


class AskEach(Flow, tag="test.each", frozen=True, omit_defaults=True):
    """Go on with each answer until one says yes: then all are over."""

    said: tuple[str, ...] = ()

    def start(self, play: Play) -> Next:
        """Ask all who have not spoken."""
        left = [seat for seat in SEATS if seat not in self.said]
        if not left:
            return self.done("nobody")
        made = [
            offer(seat, "test.yes_no", "Well?", yes_no("Yes", "No"), default={"do": "no"}) for seat in left
        ]
        return self.ask(made, then="one", each=True)

    def one(self, play: Play, given: Given) -> Next:
        """One spoke."""
        play.set_public("test.spoke", (*self.said, given.seat))
        if given.answer["do"] == "yes":
            return self.done(given.seat)
        return self.replace(said=(*self.said, given.seat)).goto("start")


class Caller(Flow, tag="test.caller", frozen=True, omit_defaults=True):
    """Run another flow and remember its result."""

    child: str = "all"

    def start(self, play: Play) -> Next:
        """Call it."""
        return self.call(AskEach() if self.child == "each" else AskAll(), then="back")

    def back(self, play: Play, result: Json) -> Next:
        """Ask once more, so that the game goes on."""
        play.set_public("test.result", str(result))
        return self.replace(child="again").goto("rest")

    def rest(self, play: Play) -> Next:
        """A question that stays open."""
        return self.ask([bid("guild", 0)], then="finish")

    def finish(self, play: Play, answers: Answers) -> Next:
        """Over."""
        return self.done()


class AskWrongly(Flow, tag="test.wrong", frozen=True, omit_defaults=True):
    """A flow that breaks the law of asking in one way."""

    how: str

    def start(self, play: Play) -> Next:
        """Emit or draw, then ask."""
        if self.how == "emits":
            play.set_public("test.low", 1)
        if self.how == "draws":
            play.chance.below(6)
        if self.how == "takes":
            return self.goto("given")
        return self.ask([bid("guild", 0)], then="start")

    def given(self, play: Play, given: Json) -> Next:
        """A step that takes something must not ask: it could not be run again."""
        return self.ask([bid("guild", 0)], then="start")


class Circle(Flow, tag="test.circle", frozen=True, omit_defaults=True):
    """Goes round for ever."""

    def start(self, play: Play) -> Next:
        """Again."""
        return self.goto("start")


class Tell(Flow, tag="test.tell", frozen=True, omit_defaults=True):
    """An interruption: raises the least number, or asks a question of its own first."""

    low: int
    asks: bool = False

    def start(self, play: Play) -> Next:
        """Ask first, or do it."""
        return self.goto("ask_first" if self.asks else "tell")

    def ask_first(self, play: Play) -> Next:
        """A question in the middle of a question."""
        made = offer(
            "atreides",
            "test.choice",
            "Which?",
            choose([Option("a", "A"), Option("b", "B")]),
            default={"choice": "a"},
        )
        return self.ask([made], then="told")

    def told(self, play: Play, answers: Answers) -> Next:
        """Now do it."""
        return self.goto("tell")

    def tell(self, play: Play) -> Next:
        """Do it."""
        play.set_public("test.low", self.low)
        return self.done()


class Meddle(StandingAction):
    """What anybody may do at any time in these tests."""

    kind: ClassVar[str] = "test_meddle"
    rule: ClassVar[str] = "CARD-08"
    why: ClassVar[str] = "Raise the least number."

    def choice(self, table: Table, seat: str, stack: tuple[Frame, ...]) -> Fields | Variant | None:
        """Some number; not for fremen."""
        return None if seat == "fremen" else Fields({"low": Number(0, 9), "asks": Number(0, 1)})

    def default(self, table: Table, seat: str) -> Json:
        """Nothing changes."""
        return {"low": 0, "asks": 0}

    def flow(self, table: Table, seat: str, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Do it."""
        return Tell(answer["low"], bool(answer["asks"]))


class Keeper(Flow, tag="test.keeper", frozen=True, omit_defaults=True):
    """A question that must be answered before anybody may interrupt. [WINPOL-17]"""

    blocks_interrupts: ClassVar[bool] = True

    def start(self, play: Play) -> Next:
        """Ask."""
        return self.ask([bid("guild", 0)], then="over")

    def over(self, play: Play, answers: Answers) -> Next:
        """Over."""
        return self.done()
