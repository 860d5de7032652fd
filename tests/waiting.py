"""Waiting in tests: for what comes at once on an idle machine, with a patience that no busy one exhausts.

What is to happen is waited for, never slept for. What is not to happen needs something that could only come after it.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

__all__ = ["PATIENCE", "on_time", "until"]

PATIENCE = 60.0
"""Seconds. Only a test that fails waits so long."""
STEP = 0.01


async def until(
    holds: Callable[[], object | Awaitable[object]], what: str = "it", seconds: float = PATIENCE
) -> None:
    """Return once `holds` (it may be a coroutine function) says yes. TimeoutError names what did not come."""
    end = time.monotonic() + seconds
    while True:
        found = holds()
        if await found if inspect.isawaitable(found) else found:
            return
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not come within {seconds:g} s")
        await asyncio.sleep(STEP)


async def on_time(work: Callable[[], Awaitable[None]], late: float) -> None:
    """Do what measures time, and do it again where it failed while the event loop itself was late by so many seconds.

    For what cannot be waited for: that something does not take long, or that something slow is not taken for dead.
    Raises what `work` raises when the loop was on time, or never was within `PATIENCE`.
    """
    end = time.monotonic() + PATIENCE
    while True:
        latest = [0.0]
        beating = asyncio.create_task(_beat(latest))
        try:
            await work()
            return
        except (AssertionError, TimeoutError):
            if latest[0] < late or time.monotonic() > end:
                raise
        finally:
            beating.cancel()


async def _beat(latest: list[float]) -> None:
    while True:
        began = time.monotonic()
        await asyncio.sleep(STEP)
        latest[0] = max(latest[0], time.monotonic() - began - STEP)
