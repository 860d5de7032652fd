"""What follows from an immutable value is worked out once: a memory by identity, for values that cannot be hashed.

A table shares with the one before it all that did not change, so that an index of its forces, say, holds for as long
as the very same mapping is part of it. Only for functions of values that nobody ever changes in place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

__all__ = ["by_identity"]

K = TypeVar("K")
V = TypeVar("V")
KEPT = 256
"""How many values are kept in mind: some for each of the games that one process holds; the oldest goes first."""


def by_identity(function: Callable[[K], V]) -> Callable[[K], V]:
    """The function with a memory: the same object as argument gives the result that was worked out for it.

    The argument is kept too, so that no other object can take its identity while it is in mind.
    """
    kept: dict[int, tuple[K, V]] = {}

    @wraps(function)
    def remembering(value: K) -> V:
        found = kept.get(id(value))
        if found is not None:
            return found[1]
        result = function(value)
        if len(kept) >= KEPT:
            del kept[next(iter(kept))]
        kept[id(value)] = (value, result)
        return result

    return remembering
