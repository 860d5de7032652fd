"""The bus against a real NATS: typed requests, errors that can be told apart, durable work, reconnecting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest
from msgspec import Raw, structs
from nats.aio.msg import Msg

from services.embedded import EmbeddedNats
from services.embedded.home import Home
from shared.wire import connection, consumer, subjects
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
from tests.waiting import PATIENCE, until

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
    known = await bus.request("test.ask", ViewRequest(room="known", audience="a", version=3), union, PATIENCE)
    assert known == Behind(worker="w", have=3)
    other = await bus.request("test.ask", ViewRequest(room="other", audience="a"), union, PATIENCE)
    assert isinstance(other, Refused)


async def test_errors_can_be_told_apart(bus: Bus) -> None:
    late = asyncio.Event()

    async def slow(request: ViewRequest) -> object:
        await late.wait()
        return NoView(text="late")

    async def broken(request: ViewRequest) -> object:
        raise ValueError("the traitor is in the basement")

    await bus.serve("test.slow", ViewRequest, slow)
    await bus.serve("test.broken", ViewRequest, broken)
    ask = ViewRequest(room="r", audience="a")
    with pytest.raises(NoResponders, match="nobody answers"):
        await bus.request("test.nobody", ask, NoView, PATIENCE)
    with pytest.raises(BusTimeout):
        await bus.request("test.slow", ask, NoView, timeout=0.05)
    late.set()
    with pytest.raises(RemoteFailed) as caught:
        await bus.request("test.broken", ask, NoView, PATIENCE)
    assert "ValueError" in str(caught.value)
    assert "traitor" not in str(caught.value)
    with pytest.raises(RemoteFailed, match="could not be read"):
        await bus.request("test.slow", TASK, NoView, PATIENCE)


async def test_handlers_run_beside_each_other(bus: Bus) -> None:
    """None of them could be answered if one were begun after another was done."""
    begun, all_here = [0], asyncio.Event()

    async def slow(request: ViewRequest) -> object:
        begun[0] += 1
        if begun[0] == 20:
            all_here.set()
        await all_here.wait()
        return NoView(text="")

    await bus.serve("test.many", ViewRequest, slow)
    ask = ViewRequest(room="r", audience="a")
    await asyncio.gather(*(bus.request("test.many", ask, NoView, PATIENCE) for _ in range(20)))


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
    asking = [bus.request("test.queue", ViewRequest(name, "a"), NoView, PATIENCE) for name in names]
    asked = [asyncio.create_task(request) for request in asking]
    await until(began.is_set, "a request")
    await bus.flush()  # all were asked when the first was, so NATS has handed out all
    await ending.drain(PATIENCE)
    assert [reply.text for reply in await asyncio.gather(*asked)] == names
    with pytest.raises(NoResponders):
        await bus.request("test.queue", ViewRequest("late", "a"), NoView, PATIENCE)


@pytest.mark.parametrize("concurrency", [1, 3])
async def test_whoever_has_no_time_left_refuses_at_once(
    bus: Bus, nats_url: str, concurrency: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if nobody listened, so that whoever asked turns to another; not in silence."""
    monkeypatch.setattr(connection, "REFUSE_SECONDS", PATIENCE)
    began, release = asyncio.Event(), asyncio.Event()

    async def slow(request: ViewRequest) -> object:
        began.set()
        await release.wait()
        return NoView(text=request.room)

    ending = await Bus.connect(nats_url, "rules-test")
    await ending.serve("test.queue", ViewRequest, slow, concurrency=concurrency)
    asking = [bus.request("test.queue", ViewRequest(str(n), "a"), NoView, PATIENCE) for n in range(8)]
    asked = asyncio.gather(*asking, return_exceptions=True)
    await until(began.is_set, "a request")
    await bus.flush()
    draining = asyncio.create_task(ending.drain(0.1))
    await until(lambda: ending._refusing, "the end of its time")
    release.set()  # for what is worked on singly is not broken off
    replies = [type(reply) for reply in await asked]
    await draining
    assert replies.count(NoView) <= 1
    assert replies.count(NoResponders) >= len(replies) - 1


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

    tried, info = [0], bus.js.consumer_info

    async def counted(*names: str) -> object:
        tried[0] += 1
        return await info(*names)

    monkeypatch.setattr(bus.js, "consumer_info", counted)
    running = asyncio.create_task(consume(bus, Consumer(stream=BOTS), BotTask, handler, stop))
    await until(lambda: tried[0] >= 4, "a fourth try")
    assert said == ["waits for room to make the stream"]
    await bus.publish_durable(BOTS, subjects.bot_task("r1"), TASK, "r1:atreides:o1")
    await until(done.is_set, "the task")
    await ended(running, stop)
    assert said == ["waits for room to make the stream", "fetches from the stream"]


async def ended(running: asyncio.Task[None], stop: asyncio.Event) -> None:
    """A consumer that is asked to end does."""
    stop.set()
    async with asyncio.timeout(PATIENCE):
        await running


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
    await until(done.is_set, "the second try")

    async def empty() -> bool:
        return not (await bus.js.stream_info(BOTS.name)).state.messages

    await until(empty, "the end of the queue")
    await ended(running, stop)
    assert seen == [1, 2]


async def test_long_work_stays_where_it_is_and_that_of_the_dead_goes_to_another(bus: Bus) -> None:
    """Whoever works says so again and again, before NATS takes it for dead; until it is seen to say nothing more."""
    hasty = structs.replace(BOTS, durable=Durable("bot", ack_wait=2.0))
    await bus.ensure_stream(hasty)
    await bus.publish_durable(hasty, subjects.bot_task("r1"), TASK, "one")
    spec = Consumer(stream=hasty)
    seen: list[tuple[str, int]] = []
    release = asyncio.Event()

    def worker(name: str, wait: bool) -> asyncio.Task[None]:
        async def handler(_: BotTask, delivery: Delivery) -> None:
            seen.append((name, delivery.times))
            if wait:
                await release.wait()

        return asyncio.create_task(consume(bus, spec, BotTask, handler, asyncio.Event()))

    said: list[bytes] = []

    async def heard(message: Msg) -> None:
        said.append(message.data)

    await bus.client.subscribe(f"$JS.ACK.{BOTS.name}.bot.>", cb=heard)
    busy = worker("busy", True)
    await until(lambda: seen, "the first task")
    idle = worker("idle", False)
    await until(lambda: said.count(b"+WPI") >= 4, "that it works, said for longer than NATS waits")
    assert seen == [("busy", 1)]
    release.set()
    await until(lambda: {*said} != {b"+WPI"}, "the end of the work")
    idle.cancel()
    await asyncio.wait({idle})
    release.clear()
    await bus.publish_durable(BOTS, subjects.bot_task("r1"), TASK, "two")
    await until(lambda: len(seen) == 2, "the second task")
    busy.cancel()  # it says nothing more of what it works on, as if it had died
    heir = worker("heir", False)
    await until(lambda: len(seen) == 3, "its heir")
    assert seen == [("busy", 1), ("busy", 1), ("heir", 2)]
    heir.cancel()
    await asyncio.wait({busy, heir})


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
        await until(lambda: not bus.connected, "word of the loss")
        server.start()
        await until(lambda: bus.connected, "another connection")
        await publish("after")
        await until(lambda: set(seen) == {"before", "after"}, "both tasks")
        await ended(running, stop)
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
        await asyncio.sleep(10 * PATIENCE)
        return NoView(text="late")

    await bus.serve("test.never", ViewRequest, never)
    waiting = asyncio.create_task(
        bus.request("test.never", ViewRequest(room="r", audience="a"), NoView, timeout=10 * PATIENCE)
    )
    await until(asked.is_set, "the request")
    server.kill()
    with pytest.raises(BusDown):
        async with asyncio.timeout(PATIENCE):
            await waiting
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
    assert 0 <= found[1] < PATIENCE
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
