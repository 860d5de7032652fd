"""Watchers: what follows at once and without a question from a fact, wherever it was recorded.

A watcher sees the play after the fact and may emit. It is for what no phase can know of: a promise that has just
been kept. Whatever has an order of its own, or asks, is a flow and not a watcher.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from services.rules.engine.hooks import EVERY_MODE
from shared.dune.events.base import Event

if TYPE_CHECKING:
    from services.rules.engine.play import Play

__all__ = ["watchers", "watches"]

E = TypeVar("E", bound=Event)
Watcher = Callable[["Play", Any], None]

_registry: dict[type[Event], list[tuple[Watcher, tuple[str, ...]]]] = {}


def watches(
    kind: type[E], *, rule: str, modes: tuple[str, ...] = EVERY_MODE
) -> Callable[[Callable[[Play, E], None]], Callable[[Play, E], None]]:
    """Register a watcher of one type of event; in a game of another mode than its own it is not called. [GEN-01]"""
    if not rule:
        raise ValueError("a watcher needs the id of the rule that it implements")

    def register(function: Callable[[Play, E], None]) -> Callable[[Play, E], None]:
        _registry.setdefault(kind, []).append((function, modes))
        watchers.cache_clear()
        return function

    return register


@cache
def watchers(kind: type[Event], mode: str) -> tuple[Watcher, ...]:
    """The watchers of a type of event in a mode."""
    return tuple(function for function, modes in _registry.get(kind, ()) if mode in modes)
