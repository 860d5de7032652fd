"""Standing offers: what a seat may do at any time, in the middle of any question. [CARD-08, REACT-70..REACT-75]

A standing action registers here. Its offer is part of its seat's view alone; answering it pushes its flow on top
of the stack, and what lies beneath is asked again, unchanged where nothing changed, when it is done.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from services.rules.engine.flow import Flow, Frame
from services.rules.engine.offering import offer
from shared.dune.offers import Offer, Standing
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Variant
from shared.dune.table import Table

__all__ = ["StandingAction", "standing", "standing_actions", "standing_list", "standing_offer"]


class StandingAction:
    """Base of all anytime actions. Registered by `standing`.

    `stops_for_questions`: whether an open question that must be answered bars it: a flow with `blocks_interrupts`
    on the stack. [WINPOL-17]
    """

    kind: ClassVar[str]
    rule: ClassVar[str]
    why: ClassVar[str]
    stops_for_questions: ClassVar[bool] = True

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Variant | None:
        """What the seat may do now; None if nothing (the control shows nothing then)."""
        raise NotImplementedError

    def available(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> bool:
        """Whether there is a choice; to be told more cheaply where building it is dear."""
        return self.choice(table, seat, stack) is not None

    def default(self, table: Table, seat: Faction) -> Json:
        """A legal answer, as every offer has one; never played by itself, since a standing offer has no clock."""
        raise NotImplementedError

    def flow(self, table: Table, seat: Faction, answer: Json) -> Flow:
        """The flow that carries the answer out."""
        raise NotImplementedError

    def flow_on(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """The same, for an action that must know what lies open or sealed beneath it."""
        return self.flow(table, seat, answer)


_registry: dict[str, StandingAction] = {}


def standing(kind: type[StandingAction]) -> type[StandingAction]:
    """Register an anytime action; its kind must be new and its rule given."""
    if kind.kind in _registry or not kind.rule:
        raise ValueError(f"standing action {kind.kind!r} is registered already or names no rule")
    _registry[kind.kind] = kind()
    return kind


def standing_actions() -> dict[str, StandingAction]:
    """All anytime actions by kind."""
    return _registry


def standing_list(table: Table, stack: tuple[Frame, ...]) -> tuple[Standing, ...]:
    """What each seat may do at any time, as the table and the stack are now; nothing in setup and after the end."""
    open_now = [action for action in _registry.values() if _is_open(action, table, stack)]
    return tuple(
        Standing(f"{seat}.{action.kind}", seat, action.kind, action.why, (action.rule,))
        for seat in table.seats
        for action in open_now
        if action.available(table, seat, stack)
    )


def standing_offer(table: Table, stack: tuple[Frame, ...], seat: Faction, kind: str) -> Offer | None:
    """The whole offer of one anytime action of a seat, with its choice; None if it cannot be done now."""
    action = _registry.get(kind)
    if action is None or not _is_open(action, table, stack):
        return None
    choice = action.choice(table, seat, stack)
    if choice is None:
        return None
    made = offer(
        seat, kind, action.why, choice, default=action.default(table, seat), rules=(action.rule,), clock=""
    )
    return msgspec.structs.replace(made, id=f"{seat}.{kind}")


def _is_open(action: StandingAction, table: Table, stack: tuple[Frame, ...]) -> bool:
    """Whether this kind of action is open to anybody: not in setup, after the end, or while a question bars it."""
    if not stack or table.result or table.phase == "setup":
        return False
    blocked = any(getattr(frame.flow, "blocks_interrupts", False) for frame in stack)
    return not (blocked and action.stops_for_questions)
