"""Windows: one protocol for every interruption.

A flow opens a window of a kind on a subject. Reactions register for kinds: who could publicly be able (`possible`),
what a seat may privately do (`fields`), and what using it does (`use`). The flow knows none of them. Every seat
that could be able by public facts is asked the same question, its answer is sealed until all are in, and the uses
are then resolved in storm order: the first legal one counts. [WINPOL-01, WINPOL-02, WINPOL-05, WINPOL-10]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import ClassVar

from msgspec import Struct

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.engine.registry import Registry
from services.rules.engine.scope import EVERY_MODE
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, Variant
from shared.dune.table import Table

__all__ = ["VOID", "Gate", "Outcome", "Reaction", "Subject", "Window", "react", "reactions", "reactions_in"]

VOID: Json = {"void": True}
"""The result of paying for a reaction in vain: it has no effect, and its window is open again. [REACT-74]"""


class Subject(Struct, frozen=True, omit_defaults=True):
    """What a window is about, in public words: whose power or action it is, which, and public details. [WINPOL-23]"""

    power: str
    owner: Faction = ""
    text: str = ""
    about: dict[str, str | int] = {}

    def named(self, prefix: str) -> dict[str, str]:
        """The details whose keys begin so, without it, in the order of their names: a stored game keeps no other."""
        below = {key.removeprefix(prefix): text for key, text in self.about.items() if key.startswith(prefix)}
        return {name: str(below[name]) for name in sorted(below)}


class Outcome(Struct, frozen=True, omit_defaults=True):
    """What came of a window: the reaction that was used, by whom, and what it answered. Travels as JSON."""

    name: str
    by: Faction
    answer: Json = None


class Reaction(ABC):
    """Base of all reactions: one thing that a seat may do in some kinds of window.

    `kinds` are patterns (`cancel.*`); `modes`: the games in which it is possible at all. `may_be_ordered`: whether a
    standing order may use it; only where the answer has no fields of its own and no rule forbids to commit the card in
    advance. `cancels_for_phase`: whether, by ruling, what it cancels stays off for the phase. [KARAMA-02]
    Subclasses are registered by `react`.
    """

    name: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]
    rule: ClassVar[str]
    label: ClassVar[str]
    may_be_ordered: ClassVar[bool] = False
    cancels_for_phase: ClassVar[bool] = False
    modes: ClassVar[tuple[str, ...]] = EVERY_MODE

    @abstractmethod
    def possible(self, table: Table, seat: Faction, kind: str, subject: Subject) -> bool:
        """Whether the seat could be able by public facts alone. [WINPOL-03]"""

    @abstractmethod
    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """What the seat may answer, or privately why it may not."""

    def pay(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """Pay what it costs before it has any effect; the result of a flow may be VOID."""
        return None

    @abstractmethod
    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """Carry it out: emit, and return a flow if more is to be done before the window is over."""

    def reopens(self) -> bool:
        """Whether the window opens again after this was used."""
        return False


_registry: Registry[Reaction] = Registry("reaction")


def react(kind: type[Reaction]) -> type[Reaction]:
    """Register a reaction; its name must be new and its rule given."""
    _registry.add(kind)
    _reacting.cache_clear()
    return kind


@cache
def _reacting(window: str, mode: str, modules: tuple[str, ...]) -> tuple[Reaction, ...]:
    """The reactions that belong to a kind of window in a game of this mode with these modules."""
    return tuple(
        reaction
        for reaction in reactions_in(mode, modules)
        if any(fnmatchcase(window, pattern) for pattern in reaction.kinds)
    )


def reactions_in(mode: str, modules: tuple[str, ...]) -> tuple[Reaction, ...]:
    """The reactions that there are in a game of this mode with these modules."""
    return _registry.of(mode, modules)


def reactions() -> Mapping[str, Reaction]:
    """All reactions by name, for the windows' table in the documentation and its tests."""
    return _registry.all


class Window(Flow, tag="window", frozen=True, omit_defaults=True):
    """One window. Its result is the JSON of an Outcome, or None if everybody passed.

    `seats` limits who is asked; `orders`: whether a standing order may answer; `used` is the outcome so far of a window
    that opens again after a use, `paying` the outcome that is being paid for.
    """

    asks_always: ClassVar[bool] = True

    kind: str
    subject: Subject
    seats: tuple[Faction, ...] = ()
    used: Json = None
    paying: Json = None
    orders: bool = True

    def start(self, play: Play) -> Next:
        """Ask every seat that could act by public facts; nobody: the window does not open. [WINPOL-03, WINPOL-04]"""
        able = {seat: self._reactions(play.table, seat) for seat in self._candidates(play.table)}
        offers = [self._offer(play.table, seat, found) for seat, found in able.items() if found]
        return self.ask(offers, then="answered") if offers else self.done(self.used)

    def answered(self, play: Play, answers: Answers) -> Next:
        """Resolve in storm order: the first use that is still legal counts, the rest spend nothing. [WINPOL-10]"""
        for seat in sorted(answers, key=lambda s: _rank(play.table, s)):
            answer = answers[seat]
            if answer["do"] == "pass":
                continue
            reaction = _registry.all[answer["do"]]
            fields = {key: value for key, value in answer.items() if key != "do"}
            legal = reaction.fields(play.table, seat, self.kind, self.subject)
            if isinstance(legal, Off) or legal.problem(fields):
                continue
            payment = reaction.pay(play, seat, self.kind, self.subject, fields)
            after = self.replace(paying={"name": reaction.name, "by": seat, "answer": fields})
            return after.call(payment, then="paid") if payment else after.goto("use")
        return self.done(self.used)

    def paid(self, play: Play, result: Json) -> Next:
        """Paid in vain, it is as if it had not been used, and everybody is asked again. [REACT-74, BG-47]"""
        return self.replace(paying=None).goto("start") if result == VOID else self.goto("use")

    def use(self, play: Play) -> Next:
        """Carry the use out."""
        used = self.paying
        reaction = _registry.all[used["name"]]
        flow = reaction.use(play, used["by"], self.kind, self.subject, used["answer"])
        after = self.replace(used=used, paying=None)
        then = "start" if reaction.reopens() else "close"
        return after.call(flow, then=f"{then}_again") if flow else after.goto(then)

    def start_again(self, play: Play, result: Json) -> Next:
        """Open again after a reaction's own flow."""
        return self.goto("start")

    def close_again(self, play: Play, result: Json) -> Next:
        """Close after a reaction's own flow, whose result is handed on with the outcome."""
        return self.replace(used={**self.used, "result": result}).goto("close")

    def close(self, play: Play) -> Next:
        """The window is over."""
        return self.done(self.used)

    def _candidates(self, table: Table) -> tuple[Faction, ...]:
        return self.seats or table.seats

    def _reactions(self, table: Table, seat: Faction) -> list[Reaction]:
        return [
            reaction
            for reaction in _reacting(self.kind, table.settings.mode, table.settings.modules)
            if reaction.possible(table, seat, self.kind, self.subject)
        ]

    def _offer(self, table: Table, seat: Faction, able: list[Reaction]) -> Offer:
        variants: dict[str, Fields] = {"pass": Fields({})}
        labels = {"pass": "Pass"}
        off: dict[str, Off] = {}
        for reaction in able:
            labels[reaction.name] = reaction.label
            found = reaction.fields(table, seat, self.kind, self.subject)
            if isinstance(found, Off):
                off[reaction.name] = found
            else:
                variants[reaction.name] = found
        return offer(
            seat,
            f"window.{self.kind}",
            self.subject.text,
            Variant(variants, labels, off),
            default={"do": "pass"},
            about=self.told(),
            clock="window",
            window=self.takes_orders(),
            final=self.is_final(),
        )

    def told(self) -> dict[str, str | int | bool | list[str] | dict[str, int] | None]:
        """What comes with the question for whoever is asked, all of it public. [WINPOL-23]"""
        return {"power": self.subject.power, "owner": self.subject.owner, **self.subject.about}

    def takes_orders(self) -> bool:
        """Whether standing orders may answer it. [WINPOL-08, NEXUS-63]"""
        return self.orders

    def is_final(self) -> bool:
        """Whether an answer stands once it is given. [WINPOL-09]"""
        return False


class Gate(Window, tag="gate", frozen=True, omit_defaults=True):
    """A window before something goes on: a pass is final, the first use ends it, and nothing else is done meanwhile.

    `seats`: whom it asks, fixed by public facts when it opens; none: it is over at once.
    [NEXUS-36, NEXUS-44, NEXUS-57, NEXUS-59]
    """

    blocks_interrupts: ClassVar[bool] = True

    def decides(self, answer: Json) -> bool:
        """A use does: nobody waits for those who have not passed yet."""
        return answer is not None and answer["do"] != "pass"

    def told(self) -> dict[str, str | int | bool | list[str] | dict[str, int] | None]:
        """Exactly what its opener names: which power waits is said by the kind of the question. [NEXUS-62]"""
        return dict(self.subject.about)

    def is_final(self) -> bool:
        """Always. [NEXUS-44]"""
        return True

    def _candidates(self, table: Table) -> tuple[Faction, ...]:
        return self.seats


def _rank(table: Table, seat: Faction) -> int:
    order = table.order or table.seats
    return order.index(seat) if seat in order else len(order)
