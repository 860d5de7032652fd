"""A registry of things that are made once and found by name: reactions, anytime actions, extras of a turn.

What is registered in the package of an optional module is there in games with that module alone. [GEN-01, NEXUS-81]
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from services.rules.engine.scope import EVERY_MODE, Scope, scope_of

__all__ = ["Registry"]

T = TypeVar("T")


class Registry(Generic[T]):
    """Instances of classes by the name that each gives in its attribute `key`, in the order of registration.

    A class names the rule that it implements in `rule`, and may name the modes in which it holds in `modes`. `what`
    says in errors what is registered.
    """

    def __init__(self, what: str, key: str = "name") -> None:
        self._what = what
        self._key = key
        self._named: dict[str, T] = {}
        self.all: Mapping[str, T] = MappingProxyType(self._named)
        self._held: dict[tuple[str, tuple[str, ...]], tuple[T, ...]] = {}

    def add(self, kind: type[Any]) -> None:
        """Register a class: one of it is made. ValueError if its name is not new, or it names no rule."""
        name = getattr(kind, self._key)
        if name in self._named or not kind.rule:
            raise ValueError(f"{self._what} {name!r} is registered already or names no rule")
        self._named[name] = kind()
        self._held.clear()

    def remove(self, name: str) -> None:
        """Forget what is registered by this name: for a test that had registered it. KeyError if nothing is."""
        del self._named[name]
        self._held.clear()

    def of(self, mode: str, modules: tuple[str, ...]) -> tuple[T, ...]:
        """What there is in a game of this mode with these modules: worked out once, for it is asked at every step."""
        found = self._held.get((mode, modules))
        if found is None:
            found = tuple(one for one in self.all.values() if _scope(type(one)).holds(mode, modules))
            self._held[mode, modules] = found
        return found


def _scope(kind: type[Any]) -> Scope:
    return scope_of(kind.__module__, getattr(kind, "modes", EVERY_MODE))
