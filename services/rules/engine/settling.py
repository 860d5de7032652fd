"""Settling: what the rules do by themselves as soon as a step has changed the board, derived from the table alone.

A watcher follows one fact; a settler follows from how things stand, whatever led there. It runs after each step that
moved forces or turned the page to another phase, so never between two facts of one step, and never in a question: what
the storm takes in one sector is gone before anybody counts as alone there. It may emit; it asks nothing. [GEN-22]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from services.rules.engine.scope import EVERY_MODE, Scope, scope_of
from shared.dune.table import Table

if TYPE_CHECKING:
    from services.rules.engine.play import Play

__all__ = ["settle", "settles"]

Settler: TypeAlias = Callable[["Play"], None]


class _Row(Struct, frozen=True):
    name: str
    rule: str
    scope: Scope
    apply: Settler


_registry: list[_Row] = []


def settles(*, rule: str, modes: tuple[str, ...] = EVERY_MODE) -> Callable[[Settler], Settler]:
    """Register a settler; in a game of another mode or module than its own it is not called. [GEN-01]"""
    if not rule:
        raise ValueError("a settler needs the id of the rule that it implements")

    def register(function: Settler) -> Settler:
        scope = scope_of(function.__module__, modes)
        _registry.append(_Row(f"{function.__module__}.{function.__qualname__}", rule, scope, function))
        _registry.sort(key=lambda row: row.name)
        _holding.cache_clear()
        return function

    return register


@cache
def _holding(mode: str, modules: tuple[str, ...]) -> tuple[Settler, ...]:
    return tuple(row.apply for row in _registry if row.scope.holds(mode, modules))


def settle(play: Play, before: Table) -> None:
    """Let everything settle if forces have moved or another phase has begun since the table `before`."""
    if play.table.forces is before.forces and play.table.phase == before.phase:
        return
    for apply in _holding(play.table.settings.mode, play.table.settings.modules):
        apply(play)
