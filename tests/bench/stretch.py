"""Timing of work in process, in seconds of the processor: so much that the clock's own cost is lost in it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

__all__ = ["each", "singly"]


def each(work: Callable[[], object], times: int) -> float:
    """Seconds that one call takes, from so many in a row; the collector runs before, not between."""
    gc.collect()
    started = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - started) / times


def singly(work: Callable[[], object], times: int) -> list[float]:
    """Seconds of each of so many calls."""
    gc.collect()
    spent = []
    for _ in range(times):
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    return spent
