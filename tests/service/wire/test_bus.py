"""The bus against a real NATS: typed requests, errors that can be told apart, durable work, reconnecting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest
from msgspec import Raw, structs

from services.embedded import EmbeddedNats
from services.embedded.home import Home
from shared.wire import consumer, subjects
from shared.wire.client import Bus, decode, encode
from shared.wire.consumer import Consumer, Delivery, Later, consume
from shared.wire.errors import BusDown, BusError, BusTimeout, NoResponders, RemoteFailed
from shared.wire.messages import (
    Behind,
    BotTask,
    Commit,
    Decide,
    Decided,
    Load,
    NoView,
    Refused,
    StartGame,
    ViewRequest,
)
from shared.wire.streams import BOTS, Durable

TASK = BotTask(room="r1", seat="atreides", offer="o1", policy="easy")


@pytest.fixture
async def bus(nats_url: str) -> AsyncIterator[Bus]:
    made = await Bus.connect(nats_url, "room-test")
    yield made
    await made.drain()


async def test_a_request_is_answered_by_type(bus: Bus) -> None:
    async def handler(request: ViewRequest) -> object:
        if request.room == "known":
            return Behind(worker="w", have=request.version)
        return Refused(worker="w", code="unknown", text="no such room")

    await bus.serve("test.ask", ViewRequest, handler)
    union = Behind | Refused
    known = await bus.request("test.ask", ViewRequest(room="known", audience="a", version=3), union)
    assert known == Behind(worker="w", have=3)
    other = await bus.request("test.ask", ViewRequest(room="other", audience="a"), union)
    assert isinstance(other, Refused)


async def test_errors_can_be_told_apart(bus: Bus) -> None:
    async def slow(request: ViewRequest) -> object:
        await asyncio.sleep(0.3)
        return NoView(text="late")

    async def broken(request: ViewRequest) -> object:
        raise ValueError("the traitor is in the basement")

    await bus.serve("test.slow", ViewRequest, slow)
    await bus.serve("test.broken", ViewRequest, broken)
    ask = ViewRequest(room="r", audience="a")
    with pytest.raises(NoResponders, match="nobody answers"):
        await bus.request("test.nobody", ask, NoView)
    with pytest.raises(BusTimeout):
        await bus.request("test.slow", ask, NoView, timeout=0.05)
    with pytest.raises(RemoteFailed) as caught:
        await bus.request("test.broken", ask, NoView)
    assert "ValueError" in str(caught.value)
    assert "traitor" not in str(caught.value)
    with pytest.raises(RemoteFailed, match="could not be read"):
        await bus.request("test.slow", TASK, NoView)


async def test_handlers_run_beside_each_other(bus: Bus) -> None:
    async def slow(request: ViewRequest) -> object:
        await asyncio.sleep(0.1)
        return NoView(text="")

    await bus.serve("test.many", ViewRequest, slow)
    ask = ViewRequest(room="r", audience="a")
    loop = asyncio.get_running_loop()
    began = loop.time()
    await asyncio.gather(*(bus.request("test.many", ask, NoView) for _ in range(20)))
    assert loop.time() - began < 1.0


@pytest.mark.parametrize("concurrency", [1, 3])
async def test_whoever_ends_answers_the_requests_that_came(bus: Bus, nats_url: str, concurrency: int) -> None:
    began = asyncio.Event()

    async def slow(request: ViewRequest) -> object:
        began.set()
        await asyncio.sleep(0.03)
        return NoView(text=request.room)

    ending = await Bus.connect(nats_url, "rules-test")
    await ending.serve("test.queue", ViewRequest, slow, concurrency=concurrency)
    names = [str(number) for number in range(12)]
    asked = [asyncio.create_task(bus.request("test.queue", ViewRequest(n, "a"), NoView)) for n in names]
    await asyncio.wait_for(began.wait(), 20)
    await ending.drain()
    assert [reply.text for reply in await asyncio.gather(*asked)] == names
    with pytest.raises(NoResponders):
        await bus.request("test.queue", ViewRequest("late", "a"), NoView)


@pytest.mark.parametrize("concurrency", [1, 3])
async def test_whoever_has_no_time_left_refuses_at_once(bus: Bus, nats_url: str, concurrency: int) -> None:
    """As if nobody listened, so that whoever asked turns to another; not in silence."""
    began = asyncio.Event()

    async def slow(request: ViewRequest) -> object:
        began.set()
        await asyncio.sleep(0.5)
        return NoView(text=request.room)

    ending = await Bus.connect(nats_url, "rules-test")
    await ending.serve("test.queue", ViewRequest, slow, concurrency=concurrency)
    asking = [bus.request("test.queue", ViewRequest(str(n), "a"), NoView, 10.0) for n in range(8)]
    asked = asyncio.gather(*asking, return_exceptions=True)
    await asyncio.wait_for(began.wait(), 20)
    await ending.drain(0.1)
    async with asyncio.timeout(1.5):
        replies = await asked
    refused = [reply for reply in replies if isinstance(reply, NoResponders)]
    assert len(refused) >= len(replies) - 1
    assert all(isinstance(reply, NoResponders | NoView) for reply in replies)


async def test_a_consumer_that_waits_for_its_stream_says_so_once(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On every first start: room makes the streams, and is the last that is up."""
    said: list[str] = []
    told = SimpleNamespace(**dict.fromkeys(("info", "warning"), lambda event, **_: said.append(event)))
    monkeypatch.setattr(consumer, "log", told)
    done, stop = asyncio.Event(), asyncio.Event()

    async def handler(task: BotTask, delivery: Delivery) -> None:
        done.set()

    running = asyncio.create_task(consume(bus, Consumer(stream=BOTS), BotTask, handler, stop))
    await asyncio.sleep(4 * consumer.AGAIN_SECONDS)
    assert said == ["waits for room to make the stream"]
    await bus.publish_durable(BOTS, subjects.bot_task("r1"), TASK, "r1:atreides:o1")
    await asyncio.wait_for(done.wait(), 5)
    stop.set()
    await asyncio.wait_for(running, 5)
    assert said == ["waits for room to make the stream", "fetches from the stream"]


async def test_durable_work_is_done_once_per_id_and_comes_again_until_it_succeeds(bus: Bus) -> None:
    await bus.publish_durable(BOTS, subjects.bot_task("r1"), TASK, "r1:atreides:o1")
    await bus.publish_durable(BOTS, subjects.bot_task("r1"), TASK, "r1:atreides:o1")
    seen: list[int] = []
    done = asyncio.Event()

    async def handler(task: BotTask, delivery: Delivery) -> None:
        assert task == TASK
        seen.append(delivery.times)
        if delivery.times == 1:
            raise Later(0.05)
        done.set()

    stop = asyncio.Event()
    spec = Consumer(stream=BOTS)
    running = asyncio.create_task(consume(bus, spec, BotTask, handler, stop))
    await asyncio.wait_for(done.wait(), 5)
    await asyncio.sleep(0.2)
    stop.set()
    await asyncio.wait_for(running, 5)
    assert seen == [1, 2]


async def test_long_work_stays_where_it_is_and_that_of_the_dead_goes_to_another(bus: Bus) -> None:
    hasty = structs.replace(BOTS, durable=Durable("bot", ack_wait=0.6))
    await bus.ensure_stream(hasty)
    await bus.publish_durable(hasty, subjects.bot_task("r1"), TASK, "one")
    spec = Consumer(stream=hasty)
    seen: list[tuple[str, int]] = []

    def worker(name: str, seconds: float) -> asyncio.Task[None]:
        async def handler(_: BotTask, delivery: Delivery) -> None:
            seen.append((name, delivery.times))
            await asyncio.sleep(seconds)

        return asyncio.create_task(consume(bus, spec, BotTask, handler, asyncio.Event()))

    busy = worker("busy", 1.8)
    while not seen:
        await asyncio.sleep(0.02)
    idle = worker("idle", 0)
    await asyncio.sleep(1.5)
    assert seen == [("busy", 1)]
    await asyncio.sleep(0.6)
    idle.cancel()
    await bus.publish_durable(BOTS, subjects.bot_task("r1"), TASK, "two")
    while len(seen) < 2:
        await asyncio.sleep(0.02)
    busy.cancel()  # it says nothing more of what it works on, as if it had died
    heir = worker("heir", 0)
    async with asyncio.timeout(5):
        while len(seen) < 3:
            await asyncio.sleep(0.02)
    assert seen == [("busy", 1), ("busy", 1), ("heir", 2)]
    heir.cancel()
    await asyncio.gather(busy, idle, heir, return_exceptions=True)


async def test_work_goes_on_after_nats_was_killed(own_home: Home) -> None:
    server = EmbeddedNats(own_home)
    server.start()
    bus = await Bus.connect(server.url, "bot-test")
    try:
        seen: list[str] = []

        async def handler(task: BotTask, delivery: Delivery) -> None:
            seen.append(task.offer)

        async def publish(offer: str) -> None:
            task = BotTask(room="r1", seat="a", offer=offer, policy="easy")
            await bus.publish_durable(BOTS, subjects.bot_task("r1"), task, offer)

        stop = asyncio.Event()
        spec = Consumer(stream=BOTS)
        running = asyncio.create_task(consume(bus, spec, BotTask, handler, stop))
        await publish("before")
        server.kill()
        await asyncio.sleep(0.1)
        server.start()
        deadline = asyncio.get_running_loop().time() + 10
        while not bus.connected and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.05)
        await publish("after")
        while set(seen) != {"before", "after"} and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.05)
        stop.set()
        await asyncio.wait_for(running, 10)
        assert set(seen) == {"before", "after"}
    finally:
        await bus.drain()
        server.stop()


async def test_whoever_waits_for_a_reply_hears_at_once_that_the_connection_is_lost(own_home: Home) -> None:
    server = EmbeddedNats(own_home)
    server.start()
    bus = await Bus.connect(server.url, "test")
    asked = asyncio.Event()

    async def never(request: ViewRequest) -> object:
        asked.set()
        await asyncio.sleep(30)
        return NoView(text="late")

    await bus.serve("test.never", ViewRequest, never)
    waiting = asyncio.create_task(
        bus.request("test.never", ViewRequest(room="r", audience="a"), NoView, timeout=20)
    )
    await asyncio.wait_for(asked.wait(), 5)
    server.kill()
    with pytest.raises(BusDown):
        await asyncio.wait_for(waiting, 5)
    await bus.drain(0.1)
    server.stop()


async def test_the_newest_message_of_a_subject_is_known_until_it_is_done(bus: Bus) -> None:
    subject = subjects.bot_task("r1")
    assert await bus.newest(BOTS, subject, BotTask) is None, "without a stream there is nothing"
    await bus.publish_durable(BOTS, subject, TASK, "a")
    await bus.publish_durable(BOTS, subject, structs.replace(TASK, offer="o2"), "b")
    found = await bus.newest(BOTS, subject, BotTask)
    assert found is not None
    assert found[0].offer == "o2"
    assert 0 <= found[1] < 5
    await bus.js.purge_stream(BOTS.name)
    assert await bus.newest(BOTS, subject, BotTask) is None


async def test_without_a_server_connecting_says_so() -> None:
    with pytest.raises(BusDown, match="no connection to NATS"):
        await Bus.connect("nats://127.0.0.1:1", "room", wait=0.5)


def test_the_json_of_a_game_crosses_the_wire_as_it_is() -> None:
    events = [Raw(b'{"kind":"SpicePaid","amount":3}'), Raw(b"[1, 2]")]
    commit = Commit(room="r1", version=2**40, events=events, checkpoint=Raw(b'{"rng":1e3}'))
    again = decode(encode(commit), Commit)
    assert [bytes(event) for event in again.events] == [bytes(event) for event in events]
    assert bytes(again.checkpoint) == b'{"rng":1e3}'


def test_what_may_be_missing_is_none_on_the_other_side() -> None:
    empty = Load(table=None, events=Raw(b"[]"), checkpoint=Raw(b"{}"))
    assert decode(encode(empty), Load).table is None
    full = decode(encode(Load(table=Raw(b'{"turn":1}'), events=Raw(b"[]"), checkpoint=Raw(b"{}"))), Load)
    assert full.table is not None
    assert bytes(full.table) == b'{"turn":1}'
    decided = Decided(
        worker="w", version=1, events=[], checkpoint=Raw(b"{}"), open=[], result=Raw(b'{"won":[]}')
    )
    again = decode(encode(decided), Decided | Refused | Behind)
    assert again.snapshot is None
    assert bytes(again.result) == b'{"won":[]}'


def test_a_secret_seed_of_any_size_crosses_the_wire() -> None:
    ask = Decide(room="r1", version=0, command=StartGame(settings=Raw(b"{}"), seed=2**255 + 1))
    command = decode(encode(ask), Decide).command
    assert isinstance(command, StartGame)
    assert command.seed == 2**255 + 1


async def test_a_stream_that_was_made_without_its_consumer_gets_it_with_the_next_message(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever makes both may be interrupted between them: then nobody would ever work the stream off."""
    with monkeypatch.context() as broken:
        broken.setattr(bus.js, "add_consumer", _too_late)
        with pytest.raises(BusError):
            await bus.publish_durable(BOTS, subjects.bot_task("r1"), TASK, "one")
    await bus.publish_durable(BOTS, subjects.bot_task("r1"), TASK, "two")
    info = await bus.js.consumer_info(BOTS.name, BOTS.durable.name)
    assert info.num_pending == 1


async def _too_late(*_: object) -> None:
    raise TimeoutError
