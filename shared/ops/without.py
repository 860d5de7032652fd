"""Importing a package as if another one were not installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without"]


@contextmanager
def without(name: str) -> Iterator[None]:
    """Inside, importing that package fails as if it were missing; changes nothing when it is loaded already."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # so importlib is told that there is no such module
    try:
        yield
    finally:
        del sys.modules[name]
