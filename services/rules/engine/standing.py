"""Standing offers: what a seat may do at any time, in the middle of any question. [CARD-08, REACT-70..REACT-75]

A standing action registers here. Its offer is part of its seat's view alone; answering it pushes its flow on top
of the stack, and what lies beneath is asked again, unchanged where nothing changed, when it is done.

Its offer is bound to an occasion, which is part of its id: a request that comes when that is over is stale, though the
same could be done again. [NEXUS-42, NEXUS-43]
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache, partial
from itertools import product
from typing import ClassVar, TypeAlias

import msgspec
from msgspec import Struct

from services.rules.engine.flow import Flow, Frame
from services.rules.engine.occasions import this_turn
from services.rules.engine.offering import offer
from services.rules.engine.reads import Answer, Readers, ask, readers_of, stale
from services.rules.engine.registry import Registry
from services.rules.engine.scope import EVERY_MODE
from shared.dune.offers import Offer, Standing
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Variant
from shared.dune.table import Table

__all__ = [
    "Listed",
    "StandingAction",
    "open_actions",
    "standing",
    "standing_actions",
    "standing_list",
    "standing_offer",
    "standing_reasons",
]


class StandingAction(ABC):
    """Base of all anytime actions. Registered by `standing`.

    `stops_for_questions`: whether an open question that must be answered bars it: a flow with `blocks_interrupts`
    on the stack. An action that stops for some of them overrides `stops_for`. [WINPOL-17] `modes`: the games in which
    it is there at all. [GEN-01]
    """

    kind: ClassVar[str]
    rule: ClassVar[str]
    why: ClassVar[str]
    stops_for_questions: ClassVar[bool] = True
    modes: ClassVar[tuple[str, ...]] = EVERY_MODE

    def stops_for(self, flow: Flow) -> bool:
        """Whether this open question, which must be answered, bars the action for everybody."""
        return self.stops_for_questions

    @abstractmethod
    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Variant | None:
        """What the seat may do now; None if nothing (the control shows nothing then)."""

    def available(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> bool:
        """Whether there is a choice; to be told more cheaply where building it is dear.

        Kept while all that it read of the table is the same. Whatever reads the stack is asked at every decision: look
        at it last.
        """
        return self.choice(table, seat, stack) is not None

    def occasion(self, table: Table, seat: Faction) -> str:
        """To what the offer is bound, by what everybody knows: its turn, where an action says nothing narrower.

        Words of a-z, 0-9, `_`, `-` and `:`, joined by dots.
        """
        return this_turn(table)

    def reasons(
        self, table: Table, seat: Faction, stack: tuple[Frame, ...], barred: bool
    ) -> Fields | Variant | None:
        """What a seat may read of it that cannot do it now: why not; None where there is nothing to tell.

        `barred`: a question that must be answered bars it for everybody.
        """
        return None

    @abstractmethod
    def default(self, table: Table, seat: Faction) -> Json:
        """A legal answer, as every offer has one, or None for any; never played by itself: it has no clock."""

    @abstractmethod
    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """The flow that carries the answer out; `stack` is what lies open or sealed beneath it."""


_registry: Registry[StandingAction] = Registry("standing action", key="kind")


def standing(kind: type[StandingAction]) -> type[StandingAction]:
    """Register an anytime action; its kind must be new and its rule given."""
    _registry.add(kind)
    return kind


def standing_actions() -> Mapping[str, StandingAction]:
    """All anytime actions by kind."""
    return _registry.all


Key: TypeAlias = tuple[Faction, StandingAction]


class Listed(Struct, frozen=True, eq=False):
    """What each seat may do at any time, and what that was worked out from, so that the next list need not be.

    `answers`: to what an action that is there for a seat is bound, as `table` and the stack were, None where it is not
    there; `readers`: what that depends on.
    It is a memory and no part of a game: two games that differ in it alone are equal.
    """

    rows: tuple[Standing, ...] = ()
    table: Table = Table()
    asked: tuple[Key, ...] = ()
    answers: dict[Key, Answer[str | None]] = {}
    readers: Readers[Key] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Listed)

    __hash__ = None  # type: ignore[assignment]


def standing_list(table: Table, stack: tuple[Frame, ...], before: Listed) -> Listed:
    """What each seat may do at any time, as the table and the stack are now; nothing in setup and after the end.

    The same whatever was listed `before`: that only spares asking again what would be answered alike.
    """
    asked = _asked(table.seats, open_actions(table, stack))
    if not asked:
        return msgspec.structs.replace(before, rows=(), asked=asked)
    known, same = before.answers, asked is before.asked
    todo = stale(before.readers, before.table, table)
    if same and not todo:
        return Listed(before.rows, table, asked, known, before.readers)
    if not same:
        todo.update(key for key in asked if key not in known)
    fresh = {key: ask(partial(_occasion, *key), table, stack) for key in todo}
    answers = known | fresh
    rows, readers = before.rows, before.readers
    if not same or any(known[key].found != answer.found for key, answer in fresh.items()):
        there = ((*key, answers[key].found) for key in asked)
        rows = tuple(_row(seat, action, bound) for seat, action, bound in there if bound is not None)
    if any(key not in known or known[key].reads != answer.reads for key, answer in fresh.items()):
        readers = readers_of(answers)
    return Listed(rows, table, asked, answers, readers)


@lru_cache(maxsize=4096)
def _asked(seats: tuple[Faction, ...], actions: tuple[StandingAction, ...]) -> tuple[Key, ...]:
    """Every seat with every action that is open, in the order in which they are listed."""
    return tuple(product(seats, actions))


def _occasion(seat: Faction, action: StandingAction, table: Table, stack: tuple[Frame, ...]) -> str | None:
    return action.occasion(table, seat) if action.available(table, seat, stack) else None


@lru_cache(maxsize=4096)
def _row(seat: Faction, action: StandingAction, occasion: str) -> Standing:
    return Standing(f"{seat}.{action.kind}.{occasion}", seat, action.kind, action.why, (action.rule,))


def open_actions(table: Table, stack: tuple[Frame, ...]) -> tuple[StandingAction, ...]:
    """The actions open to anybody: none in setup and after the end, some not while a question bars them."""
    if not stack or table.result or table.phase == "setup":
        return ()
    blocking = [frame.flow for frame in stack if frame.flow.blocks_interrupts]
    actions = _registry.of(table.settings.mode, table.settings.modules)
    if not blocking:
        return actions
    return tuple(a for a in actions if not any(a.stops_for(flow) for flow in blocking))


def standing_offer(table: Table, stack: tuple[Frame, ...], listed: Standing) -> Offer | None:
    """The whole offer of what is listed for a seat, with its choice; None if it cannot be done now."""
    seat, kind = listed.seat, listed.kind
    action = _registry.all.get(kind)
    if action is None or action not in open_actions(table, stack):
        return None
    choice = action.choice(table, seat, stack)
    if choice is None:
        return None
    default = action.default(table, seat)
    if default is None:
        default = choice.sample(random.Random(0))  # some legal answer, the same each time
    made = offer(seat, kind, action.why, choice, default=default, rules=(action.rule,), clock="")
    return msgspec.structs.replace(made, id=listed.id)


REASONS = ".why"
"""The end of the kind under which a seat reads why an action can or cannot be done: to be read, never answered."""


def standing_reasons(table: Table, stack: tuple[Frame, ...], seat: Faction, kind: str) -> Offer | None:
    """What a seat may read of one of its anytime actions, whether it can be done now or not. [NEXUS-58, NEXUS-68]"""
    name = kind.removesuffix(REASONS)
    action = _registry.all.get(name) if kind.endswith(REASONS) else None
    if action is None or not stack or action not in _registry.of(table.settings.mode, table.settings.modules):
        return None
    barred = action not in open_actions(table, stack)
    found = action.reasons(table, seat, stack, barred)
    if found is None:
        return None
    return Offer(f"{seat}.{kind}", seat, kind, action.why, found, None, rules=(action.rule,), clock="")
