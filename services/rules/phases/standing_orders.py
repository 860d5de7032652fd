"""Standing orders: a seat tells the program how to answer windows for it, and takes it back at will. [WINPOL-08]

They are private to their seat and are answered whatever it holds, at a table with people after a random time, so that
an answer given by the program tells the others as little as one given by hand. [WINPOL-07]
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.hooks import Quote, quote
from services.rules.engine.orders import EVERY, SMALL, order_mark
from services.rules.engine.play import Play
from services.rules.engine.standing import StandingAction, standing
from services.rules.engine.windows import reactions_in
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, OneOf, Option
from shared.dune.table import Table

__all__ = ["GiveOrder", "NeverOrdered", "SetOrders"]

ASK, FOREVER = "ask", "game"


class NeverOrdered(Quote, frozen=True, kw_only=True):
    """The kinds of questions that no standing order answers in this game: the beginnings of their names.

    Its lines say why. [WINPOL-08]
    """

    kinds: tuple[str, ...] = ()


@standing
class SetOrders(StandingAction):
    """Pass, use or be asked: for one kind of window, for a turn or for the game. [WINPOL-08]"""

    kind: ClassVar[str] = "orders"
    rule: ClassVar[str] = "WINPOL-08"
    why: ClassVar[str] = "Answer a kind of window by a standing order. Only you see your orders."
    stops_for_questions: ClassVar[bool] = False

    def available(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> bool:
        """Always."""
        return True

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields:
        """All kinds of windows that there are, and the very kind that is open for the seat now."""
        open_now = tuple(offer.kind for offer in stack[-1].asked if offer.seat == seat and offer.window)
        return _shape(table.settings.mode, table.settings.modules, open_now, quote(table, NeverOrdered()))

    def default(self, table: Table, seat: Faction) -> Json:
        """What suits most people, so that the form has to be sent only: small things of others pass in this game."""
        return {"window": SMALL, "answer": "pass", "until": FOREVER}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Remember it."""
        return GiveOrder(seat, answer["window"], answer["answer"], answer["until"] == FOREVER)


class GiveOrder(Flow, tag="orders", frozen=True, omit_defaults=True):
    """One change of a seat's standing orders. [WINPOL-08]"""

    seat: Faction
    window: str
    answer: str
    is_for_good: bool

    def start(self, play: Play) -> Next:
        """The newest order stands first and wins over wider ones; to be asked about everything forgets them all."""
        name = order_mark(self.seat)
        until = FOREVER if self.is_for_good else str(play.table.turn)
        kept = tuple(row for row in play.table.names(name) if row.partition("=")[0] != self.window)
        orders = (f"{self.window}={self.answer}@{until}", *kept)
        if (self.window, self.answer) == (EVERY, ASK):
            orders = ()
        play.set_secret(name, orders, self.seat)
        return self.done()


@cache
def _shape(mode: str, modules: tuple[str, ...], open_now: tuple[str, ...], never: NeverOrdered) -> Fields:
    labels = {
        EVERY: "All windows for cards and cancels",
        SMALL: "Small things of others: looks, income, gifts, charity, advisors, losses",
    }
    known = reactions_in(mode, modules)
    for reaction in known:
        for kind in reaction.kinds:
            name = f"window.{kind}"
            labels[name] = f"{labels[name]}; {reaction.label}" if name in labels else reaction.label
    labels.update({kind: "The one open now" for kind in open_now if kind not in labels})
    uses = (Option(r.name, f"Use: {r.label}") for r in known if r.may_be_ordered)
    return Fields(
        {
            "window": OneOf(tuple(_window(kind, label, never) for kind, label in labels.items())),
            "answer": OneOf((Option(ASK, "Ask me"), Option("pass", "Pass for me"), *uses)),
            "until": OneOf((Option("turn", "This turn"), Option(FOREVER, "The whole game"))),
        },
        labels={"window": "Windows", "answer": "Answer", "until": "For"},
    )


def _window(kind: str, label: str, never: NeverOrdered) -> Option:
    if not kind.startswith(never.kinds):
        return Option(kind, label)
    return Option(kind, label, never.lines[-1].text, never.lines[-1].rule)
