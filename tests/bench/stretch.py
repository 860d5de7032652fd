"""Timing of work in process: so much that the clock's own cost is lost in it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

__all__ = ["each", "singly"]


def each(work: Callable[[], object], times: int) -> float:
    """Seconds that one call takes, from so many in a row; the collector runs before, not between."""
    gc.collect()
    started = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - started) / times


def singly(work: Callable[[], object], times: int) -> list[float]:
    """Seconds of each of so many calls."""
    gc.collect()
    spent = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        spent.append(time.perf_counter() - started)
    return spent
