"""Watchers: what follows at once and without a question from a fact, wherever it was recorded.

A watcher sees the play after the fact and may emit. It is for what no phase can know of: a promise that has just
been kept. Whatever has an order of its own, or asks, is a flow and not a watcher.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from services.rules.engine.scope import EVERY_MODE, Scope, scope_of
from shared.dune.events.base import Event

if TYPE_CHECKING:
    from services.rules.engine.play import Play

__all__ = ["watchers", "watches"]

E = TypeVar("E", bound=Event)
Watcher = Callable[["Play", Any], None]

_registry: dict[type[Event], list[tuple[Watcher, Scope]]] = {}


def watches(
    kind: type[E], *, rule: str, modes: tuple[str, ...] = EVERY_MODE
) -> Callable[[Callable[[Play, E], None]], Callable[[Play, E], None]]:
    """Register a watcher of one type of event.

    In a game of another mode or module than its own it is not called. [GEN-01]
    """
    if not rule:
        raise ValueError("a watcher needs the id of the rule that it implements")

    def register(function: Callable[[Play, E], None]) -> Callable[[Play, E], None]:
        _registry.setdefault(kind, []).append((function, scope_of(function.__module__, modes)))
        watchers.cache_clear()
        return function

    return register


@cache
def watchers(kind: type[Event], mode: str, modules: tuple[str, ...] = ()) -> tuple[Watcher, ...]:
    """The watchers of a type of event in a game of this mode with these modules."""
    return tuple(function for function, scope in _registry.get(kind, ()) if scope.holds(mode, modules))
