"""A graceful end: whoever waits for it is told, by signals as well."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from shared.ops.drain import Drain
from tests.waiting import PATIENCE


async def test_whoever_waits_is_woken_and_whoever_comes_later_does_not_wait() -> None:
    drain = Drain()
    waiting = asyncio.create_task(drain.requested())
    await asyncio.sleep(0)
    assert not waiting.done()
    assert not drain.active
    drain.ask()
    await asyncio.wait_for(waiting, PATIENCE)
    await asyncio.wait_for(drain.requested(), PATIENCE)
    assert drain.active


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_asks_for_the_end(number: signal.Signals) -> None:
    drain, loop = Drain(), asyncio.get_running_loop()
    drain.on_signals()
    try:
        os.kill(os.getpid(), number)
        await asyncio.wait_for(drain.requested(), PATIENCE)
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        loop.remove_signal_handler(signal.SIGINT)
