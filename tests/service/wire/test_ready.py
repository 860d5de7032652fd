"""Whoever seems ready is, and whoever is to end does: also when NATS and Python are at their worst moment."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from shared.wire import consumer, subjects
from shared.wire.client import Bus
from shared.wire.consumer import Consumer, Delivery, consume
from shared.wire.messages import BotTask, NoView, ViewRequest
from shared.wire.streams import BOTS

TASK = BotTask(room="r1", seat="atreides", offer="o1", policy="easy")


class Wire:
    """A relay to NATS that keeps what clients said, in the order in which it came."""

    def __init__(self, url: str) -> None:
        self._to = urlsplit(url)
        self.said = bytearray()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """The address to connect to instead."""
        server = await asyncio.start_server(self._relay, "127.0.0.1")
        port = server.sockets[0].getsockname()[1]
        try:
            yield self._to._replace(
                netloc=f"{self._to.username}:{self._to.password}@127.0.0.1:{port}"
            ).geturl()
        finally:
            server.close()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_nats, to_nats = await asyncio.open_connection(self._to.hostname, self._to.port)
        await asyncio.gather(_pass(from_nats, writer), _pass(reader, to_nats, self.said))


async def _pass(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: bytearray | None = None
) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            if kept is not None:
                kept += data
            writer.write(data)
            await writer.drain()
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


async def test_whoever_serves_has_told_nats_before_it_seems_ready(nats_url: str) -> None:
    """The ping whose answer is waited for follows the subscription: then its answer proves that NATS has read both."""

    async def handler(request: ViewRequest) -> object:
        return NoView(text="")

    wire = Wire(nats_url)
    async with wire.listening() as url:
        bus = await Bus.connect(url, "rules-test")
        try:
            for subject in ("test.first", "test.second"):
                await bus.serve(subject, ViewRequest, handler)
                said = bytes(wire.said)
                assert said.index(b"SUB " + subject.encode()) < said.rindex(b"PING"), said
        finally:
            await bus.drain()


async def test_whoever_ends_has_told_nats_before_it_hears_no_more(
    nats_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a request that NATS hands out meanwhile would be dropped, and whoever asked would wait in vain."""

    async def handler(request: ViewRequest) -> object:
        return NoView(text="")

    said = b""
    forget = Client._remove_sub

    def forgetting(client: Client, sid: int, max_msgs: int = 0) -> None:
        nonlocal said
        said = said or bytes(wire.said)
        forget(client, sid, max_msgs)

    wire = Wire(nats_url)
    async with wire.listening() as url:
        bus = await Bus.connect(url, "rules-test")
        await bus.serve("test.first", ViewRequest, handler)
        monkeypatch.setattr(Client, "_remove_sub", forgetting)
        await bus.drain()
    assert said.index(b"UNSUB ") < said.rindex(b"PING"), said


async def test_a_consumer_ends_though_its_cancellation_is_lost(
    nats_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `asyncio.wait_for` of Python 3.11 loses it inside nats-py, when a message comes in the same moment."""
    lost: list[bool] = []
    next_message = consumer._next

    async def deaf_once(subscription: Subscription) -> Msg:
        try:
            return await next_message(subscription)
        except asyncio.CancelledError:
            if lost:
                raise
            lost.append(True)
            return await next_message(subscription)

    monkeypatch.setattr(consumer, "_next", deaf_once)
    done, stop = asyncio.Event(), asyncio.Event()

    async def handler(task: BotTask, delivery: Delivery) -> None:
        done.set()

    bus = await Bus.connect(nats_url, "bot-test")
    try:
        await bus.publish_durable(BOTS, subjects.bot_task("r1"), TASK, "one")
        running = asyncio.create_task(consume(bus, Consumer(stream=BOTS), BotTask, handler, stop))
        async with asyncio.timeout(20):
            await done.wait()
            stop.set()
            await running
    finally:
        await bus.drain()
    assert lost == [True]
