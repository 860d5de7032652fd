"""Ending tasks of asyncio, so that they do end."""

from __future__ import annotations

import asyncio
from typing import Any

AGAIN_SECONDS = 1.0
"""After so long a task that was cancelled and still runs is cancelled again."""


async def end_tasks(*tasks: asyncio.Task[Any]) -> None:
    """Cancel the tasks and return when all are done; what they raised is theirs alone.

    `asyncio.wait_for` of Python 3.11, which libraries use inside, loses a cancellation that comes in the moment in
    which what it waits for is done (cpython issue 86296). A loop around it then goes on for ever: so it is told again.
    """
    while running := [task for task in tasks if not task.done()]:
        for task in running:
            task.cancel()
        await asyncio.wait(running, timeout=AGAIN_SECONDS)
    for task in tasks:
        if not task.cancelled():
            task.exception()  # looked at: else asyncio complains of it when the task is forgotten
