"""A graceful end: begun work is finished, new work is refused."""

from __future__ import annotations

import asyncio

import pytest

from shared.ops.drain import Drain, Draining


async def test_work_in_flight_is_waited_for() -> None:
    drain = Drain()
    finished: list[str] = []

    async def piece() -> None:
        with drain.work():
            await asyncio.sleep(0.02)
            finished.append("done")

    task = asyncio.create_task(piece())
    await asyncio.sleep(0)
    drain.ask()
    assert await drain.finished(1.0)
    assert finished == ["done"]
    await task


async def test_new_work_is_refused_after_the_end_was_asked_for() -> None:
    drain = Drain()
    drain.ask()
    with pytest.raises(Draining), drain.work():
        pass
    assert drain.active


async def test_work_that_does_not_end_is_reported() -> None:
    drain = Drain()
    with drain.work():
        drain.ask()
        assert not await drain.finished(0.01)
    assert await drain.finished(0.01)
