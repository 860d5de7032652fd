"""Waiting in tests: what did not come is named, and only the machine's own lateness excuses a measurement."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.waiting import on_time, until


async def test_what_does_not_come_is_named() -> None:
    async def never() -> bool:
        return False

    with pytest.raises(TimeoutError, match=r"the worm did not come within 0\.01 s"):
        await until(never, "the worm", 0.01)
    await until(lambda: True)


async def test_a_failure_counts_unless_the_loop_was_late() -> None:
    tries: list[bool] = []

    async def work(late: bool) -> None:
        tries.append(late)
        await asyncio.sleep(0.02)
        if late and len(tries) == 1:
            time.sleep(0.3)  # as a busy machine holds up the loop
        await asyncio.sleep(0.02)
        assert len(tries) > 1

    await on_time(lambda: work(True), 0.2)
    assert len(tries) == 2
    tries.clear()
    with pytest.raises(AssertionError):
        await on_time(lambda: work(False), 30.0)
    assert len(tries) == 1
