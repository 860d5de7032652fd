"""NATS keeps each service to its own subjects: what is secret is refused, and not merely unused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from msgspec import Raw

from services.embedded import EmbeddedNats
from services.embedded.home import Home
from shared.wire import subjects
from shared.wire.client import Bus, encode
from shared.wire.consumer import Consumer, Delivery, consume
from shared.wire.errors import BusTimeout, NoResponders
from shared.wire.identities import IDENTITIES, authorization
from shared.wire.messages import BotTask, Commit, NoView, ViewRequest
from shared.wire.streams import BOTS, COMMITS
from tests.waiting import PATIENCE

COMMIT = Commit(room="r1", version=1, events=[], checkpoint=Raw(b"{}"))
TASK = BotTask(room="r1", seat="atreides", offer="o1", policy="easy")

Connect = Callable[[str], Awaitable[Bus]]


@pytest.fixture
async def connect(own_home: Home) -> AsyncIterator[Connect]:
    server = EmbeddedNats(own_home)
    server.start()
    made: list[Bus] = []

    async def one(identity: str) -> Bus:
        bus = await Bus.connect(server.url_of(identity), f"{identity}-1", wait=PATIENCE)
        made.append(bus)
        return bus

    yield one
    for bus in made:
        await bus.drain()
    server.stop()


async def hears(bus: Bus, subject: str, speaker: Bus, said: str) -> bool:
    """Whether a subscription of `bus` gets what `speaker` says on a subject.

    NATS has read it, and has handed out all that it had for `bus`, before it answers two pings: nothing is slept for.
    """
    heard = asyncio.Event()

    async def handler(_: str, __: object) -> None:
        heard.set()

    subscription = await bus.subscribe(subject, Commit, handler)
    await bus.flush()
    await speaker.publish(said, COMMIT)
    await speaker.flush()
    await bus.flush()
    await subscription.drain()  # what has come is handled
    return heard.is_set()


async def hears_nothing(bus: Bus, subject: str, speaker: Bus, said: str) -> bool:
    """Whether what is said does not come."""
    return not await hears(bus, subject, speaker, said)


async def test_commits_are_heard_by_room_and_projection_only(connect: Connect) -> None:
    room, projection = await connect("room"), await connect("projection")
    bot, rules = await connect("bot"), await connect("rules")
    said = subjects.commit("r1")
    assert await hears(room, said, room, said)
    assert await hears(projection, said, room, said)
    assert await hears_nothing(bot, subjects.COMMIT_ALL, room, said)
    assert await hears_nothing(rules, subjects.COMMIT_ALL, room, said)
    assert await hears_nothing(bot, ">", room, said)


async def test_a_bot_hears_no_seat_and_no_other_inbox_and_asks_no_rules(connect: Connect) -> None:
    room, projection, bot = await connect("room"), await connect("projection"), await connect("bot")
    rules = await connect("rules")
    said = subjects.view("r1", "atreides")
    assert await hears(room, said, projection, said)
    assert await hears_nothing(bot, said, projection, said)
    assert await hears_nothing(bot, "_INBOX_room.>", projection, said)

    async def answer(request: ViewRequest) -> object:
        return NoView(text="x")

    await rules.serve(subjects.RULES_DECIDE, ViewRequest, answer, queue=subjects.RULES_QUEUE)
    await rules.flush()
    ask = ViewRequest(room="r1", audience="table")
    assert await room.request(subjects.RULES_DECIDE, ask, NoView, timeout=PATIENCE) == NoView(text="x")
    with pytest.raises((BusTimeout, NoResponders)):
        await bot.request(subjects.RULES_DECIDE, ask, NoView, timeout=0.4)


async def test_only_projection_says_what_a_seat_sees(connect: Connect) -> None:
    room, bot = await connect("room"), await connect("bot")
    said = subjects.view("r1", "atreides")
    assert await hears_nothing(room, said, bot, said)


async def test_streams_work_within_the_permissions(connect: Connect) -> None:
    room, projection, bot = await connect("room"), await connect("projection"), await connect("bot")
    await room.publish_durable(COMMITS, subjects.commit("r1"), COMMIT, "r1:1")
    await room.publish_durable(BOTS, subjects.bot_task("r1"), TASK, "r1:atreides:o1")
    for bus, stream, kind, message in ((projection, COMMITS, Commit, COMMIT), (bot, BOTS, BotTask, TASK)):
        seen: list[object] = []
        stop = asyncio.Event()

        async def handler(
            got: object, delivery: Delivery, seen: list[object] = seen, stop: asyncio.Event = stop
        ) -> None:
            seen.append(got)
            stop.set()

        spec = Consumer(stream=stream)
        async with asyncio.timeout(PATIENCE):
            await consume(bus, spec, kind, handler, stop)
        assert [encode(got) for got in seen] == [encode(message)]


async def test_a_bot_cannot_read_the_commit_stream(connect: Connect) -> None:
    room, bot = await connect("room"), await connect("bot")
    await room.publish_durable(COMMITS, subjects.commit("r1"), COMMIT, "r1:1")
    answers: list[object] = []
    for subject in (
        f"$JS.API.STREAM.MSG.GET.{COMMITS.name}",
        f"$JS.API.DIRECT.GET.{COMMITS.name}",
        f"$JS.API.CONSUMER.CREATE.{COMMITS.name}.spy",
        f"$JS.API.CONSUMER.DURABLE.CREATE.{COMMITS.name}.bot",
        # A consumer delivers to whatever subject it is told to.
        f"$JS.API.CONSUMER.DURABLE.CREATE.{BOTS.name}.bot",
        # A stream records whatever subjects it is told to: whoever may change one hears everything.
        f"$JS.API.STREAM.UPDATE.{BOTS.name}",
        f"$JS.API.STREAM.CREATE.{BOTS.name}",
    ):
        with pytest.raises((BusTimeout, NoResponders)):
            answers.append(await bot.request(subject, {"seq": 1}, dict, timeout=0.3))
    assert answers == []


def test_the_configuration_for_deployments_is_made_from_the_same_table() -> None:
    names = ("sietch", *(identity.name for identity in IDENTITIES))
    block = authorization({name: f"$SIETCH_NATS_{name.upper()}_PASSWORD" for name in names})
    assert Path("deploy/nats/sietch.conf").read_text().endswith(block)
