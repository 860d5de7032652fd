"""Hooks compute, flows ask. A quote is a number with its reasons; factions, cards and modules contribute lines.

A contribution is a pure function of the quote and the table; it never opens an offer. The list of lines answers
*why?*: refusals, disabled choices, the log and the table's explanations speak from it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct

from services.rules.engine.scope import EVERY_MODE, Scope, scope_of
from shared.dune.table import Table

__all__ = ["Line", "Quote", "contributes", "contributions", "quote"]

Q = TypeVar("Q", bound="Quote")


class Line(Struct, frozen=True):
    """One reason of a quote: what it says, what the value is after it, and the rule behind it."""

    text: str
    value: int
    rule: str


class Quote(Struct, frozen=True, kw_only=True):
    """Base of all quotes: a value, and the lines that led to it. Subclasses add the question's own fields."""

    value: int = 0
    lines: tuple[Line, ...] = ()

    def step(self: Q, value: int, text: str, rule: str, **changes: object) -> Q:
        """The quote with another value, and the reason for it."""
        line = Line(text, value, rule)
        return msgspec.structs.replace(self, value=value, lines=(*self.lines, line), **changes)


class Contribution(Struct, frozen=True):
    """A registered contribution: its place in the order, its rule id, the Karama name if it can be cancelled, and the
    games in which it holds.
    """

    order: int
    rule: str
    cancel: str
    apply: Callable[[Any, Table], Any]
    scope: Scope = Scope()


_registry: dict[type[Quote], list[Contribution]] = {}


def contributes(
    kind: type[Q], *, rule: str, order: int = 50, cancel: str = "", modes: tuple[str, ...] = EVERY_MODE
) -> Callable[[Callable[[Q, Table], Q]], Callable[[Q, Table], Q]]:
    """Register a function as contribution to a kind of quote. [KARAMA-03 for `cancel`]

    A contribution whose `cancel` name is marked as cancelled (`cancelled.<name>`) is left out, and so is one of another
    mode or module than the game's. [GEN-01]
    """
    if not rule:
        raise ValueError("a contribution needs the id of the rule that it implements")

    def register(function: Callable[[Q, Table], Q]) -> Callable[[Q, Table], Q]:
        rows = _registry.setdefault(kind, [])
        rows.append(Contribution(order, rule, cancel, function, scope_of(function.__module__, modes)))
        rows.sort(key=lambda row: (row.order, row.rule))
        _holding.cache_clear()
        return function

    return register


def contributions() -> dict[type[Quote], list[Contribution]]:
    """All contributions by kind of quote, for the rules index and its tests."""
    return _registry


@cache
def _holding(kind: type[Quote], mode: str, modules: tuple[str, ...]) -> tuple[Contribution, ...]:
    """The contributions to a kind of quote that hold in a game of this mode with these modules, in their order."""
    return tuple(row for row in _registry.get(kind, ()) if row.scope.holds(mode, modules))


def quote(table: Table, base: Q) -> Q:
    """The quote with everything that contributes to its kind."""
    current = base
    for row in _holding(type(base), table.settings.mode, table.settings.modules):
        if row.cancel and table.is_set(f"cancelled.{row.cancel}"):
            continue
        current = cast(Q, row.apply(current, table))
    return current
