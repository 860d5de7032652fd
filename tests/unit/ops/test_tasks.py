"""Tasks that are to end do end, whatever loses their cancellation."""

from __future__ import annotations

import asyncio
import gc

import pytest

from shared.ops import tasks
from shared.ops.tasks import end_tasks


async def test_a_loop_around_wait_for_ends_though_what_it_waits_for_comes_with_the_cancellation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python 3.11 loses exactly this cancellation; later ones do not."""
    monkeypatch.setattr(tasks, "AGAIN_SECONDS", 0.05)
    come = asyncio.Event()

    async def loop() -> None:
        while True:
            await asyncio.wait_for(come.wait(), 30)
            come.clear()

    looping = asyncio.create_task(loop())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    come.set()
    await asyncio.sleep(0)
    async with asyncio.timeout(5):
        await end_tasks(looping)
    assert looping.cancelled()


async def test_whoever_does_not_listen_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "AGAIN_SECONDS", 0.02)
    heard: list[int] = []

    async def deaf() -> None:
        while len(heard) < 3:
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                heard.append(len(heard))

    working = asyncio.create_task(deaf())
    await asyncio.sleep(0)
    async with asyncio.timeout(5):
        await end_tasks(working)
    assert heard == [0, 1, 2]


async def test_what_the_ended_raised_is_nobodys_complaint() -> None:
    complaints: list[object] = []
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    try:

        async def breaks() -> None:
            try:
                await asyncio.sleep(30)
            finally:
                raise ValueError

        async with asyncio.timeout(5):
            await end_tasks(asyncio.create_task(breaks()), asyncio.create_task(asyncio.sleep(30)))
        gc.collect()
        await asyncio.sleep(0)
    finally:
        loop.set_exception_handler(before)
    assert complaints == []


async def test_nothing_to_end_is_no_trouble() -> None:
    await end_tasks()
