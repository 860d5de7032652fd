"""Messages that go wrong on their way: never, late, out of order, twice, and streams that are lost altogether.

All by the operator's own means: as one more replica of a consumer, that takes messages and does not do their work,
and by publishing again what a stream holds.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from random import Random

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from shared.wire.streams import BOTS, COMMITS

CONSUMERS = {BOTS.name: "bot", COMMITS.name: "projection"}
SECONDS = 1.5
"""How long messages are taken from the services."""
LATE = (1.0, 6.0)

Do = Callable[[Client, str, Random], Awaitable[int]]


def meddle(url: str, stream: str, do: Do, dice: Random) -> int:
    """Do it once with a connection of its own; how many messages it met: none where NATS is still coming back."""

    async def work() -> int:
        client = await nats.connect(url, max_reconnect_attempts=3, error_cb=_quiet)
        try:
            return await do(client, stream, dice)
        finally:
            await client.close()

    try:
        return asyncio.run(work())
    except (nats.errors.Error, OSError):
        return 0


async def _quiet(_: Exception) -> None:
    """What goes wrong with the meddler's own connection shows in what it returns."""


async def _take(client: Client, stream: str, use: Callable[[Msg], Awaitable[object]]) -> int:
    pull = await client.jetstream().pull_subscribe_bind(CONSUMERS[stream], stream)
    until = time.monotonic() + SECONDS
    met = 0
    while time.monotonic() < until:
        try:
            for message in await pull.fetch(8, timeout=0.3):
                await use(message)
                met += 1
        except TimeoutError:
            continue
        except nats.js.errors.APIError:
            await asyncio.sleep(0.1)  # JetStream is still coming back from the fault before
    return met


async def never(client: Client, stream: str, dice: Random) -> int:
    """Messages are taken and acknowledged, and nobody does their work."""
    return await _take(client, stream, lambda message: message.ack())


async def late(client: Client, stream: str, dice: Random) -> int:
    """Messages come seconds later, in another order."""
    return await _take(client, stream, lambda message: message.nak(delay=dice.uniform(*LATE)))


async def dropped(client: Client, stream: str, dice: Random) -> int:
    """Messages are taken and nothing is said, as by a process that died over them."""

    async def nothing(_: Msg) -> None:
        return

    return await _take(client, stream, nothing)


async def twice(client: Client, stream: str, dice: Random) -> int:
    """What the stream holds of late is published again, shuffled, for as long as messages are taken elsewhere."""
    manager: JetStreamContext = client.jetstream()
    state = (await manager.stream_info(stream)).state
    numbers = list(range(max(state.first_seq, state.last_seq - 30), state.last_seq + 1))
    dice.shuffle(numbers)
    met = 0
    for number in numbers:
        with contextlib.suppress(nats.js.errors.NotFoundError):
            found = await manager.get_msg(stream, number)
            await client.publish(found.subject or "", found.data or b"")
            met += 1
    await client.flush()
    return met


async def lost(client: Client, stream: str, dice: Random) -> int:
    """The stream is gone with all that it held."""
    with contextlib.suppress(nats.js.errors.NotFoundError):
        await client.jetstream().delete_stream(stream)
        return 1
    return 0
