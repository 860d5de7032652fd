"""Waiting in tests: for what comes at once on an idle machine, with a patience that no busy one exhausts.

What is to happen is waited for, never slept for. What is not to happen needs something that could only come after it.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

__all__ = ["PATIENCE", "until"]

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
