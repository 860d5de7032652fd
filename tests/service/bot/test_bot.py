"""The bot service over the bus: tasks are done once in effect, given back when they cannot be, and never lost."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec import Raw

from services.bot.worker import BotSettings, serve
from shared.dune.offers import Offer
from shared.dune.views import encode_view, view
from shared.wire import streams, subjects
from shared.wire.client import Bus, Subscription
from shared.wire.messages import Act, ActReply, BotTask, Look, NoView, View
from tests.service.recorded import Recorded, record, running
from tests.waiting import PATIENCE, until

TOKEN = "t" * 64


class FakeRoom:
    """Answers looks from a recorded game; keeps what bots did, and says to it what the test lays out (else 200)."""

    def __init__(self, bus: Bus, game: Recorded) -> None:
        self.bus = bus
        self.game = game
        self.looks: list[Look] = []
        self.acts: list[Act] = []
        self.says: list[int] = []
        self.serving: list[Subscription] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def open(self) -> None:
        queue = subjects.ROOM_QUEUE
        self.serving = [
            await self.bus.serve(subjects.ROOM_LOOK, Look, self.look, queue=queue),
            await self.bus.serve(subjects.ROOM_ACT, Act, self.act, queue=queue),
        ]

    async def look(self, look: Look) -> View | NoView:
        self.looks.append(look)
        await self.gate.wait()
        if look.token != TOKEN:
            return NoView("no token for that seat")
        last = self.game.games[-1]
        shown = view(last.table, last.checkpoint(), look.seat)
        return View(look.room, look.seat, 1, Raw(encode_view(shown)))

    async def act(self, act: Act) -> ActReply:
        self.acts.append(act)
        status = self.says.pop(0) if self.says else 200
        return ActReply(status, Raw(b'{"ok":true}'))

    @property
    def offer(self) -> Offer:
        """What is asked first."""
        return next(offer for offer in self.game.games[-1].open if offer.committed is None)

    def task(self, **changes: str) -> BotTask:
        """The task of that offer."""
        task = BotTask(self.game.room.hex, self.offer.seat, self.offer.id, "easy", TOKEN)
        return msgspec.structs.replace(task, **changes)

    async def give(self, task: BotTask, name: str = "") -> None:
        """Put a task into the work queue."""
        await self.bus.publish_durable(
            streams.BOTS, subjects.bot_task(task.room), task, f"{task.offer}:{name}"
        )


HASTY = streams.BOTS
"""As services have it: a worker that is silent for a second is taken for dead."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests count answers: on a busy machine nobody must be asked again because he was slow."""
    durable = msgspec.structs.replace(HASTY.durable, ack_wait=PATIENCE)
    monkeypatch.setattr(streams, "BOTS", msgspec.structs.replace(HASTY, durable=durable))
    monkeypatch.setattr("services.bot.worker.ASK_SECONDS", (PATIENCE,))


@pytest.fixture
async def bus(nats_url: str) -> AsyncIterator[Bus]:
    bus = await Bus.connect(nats_url, "test")
    await bus.ensure_stream(streams.BOTS)
    yield bus
    await bus.drain()


@pytest.fixture
async def room(bus: Bus) -> FakeRoom:
    fake = FakeRoom(bus, record(40))
    await fake.open()
    return fake


@pytest.fixture
async def worker(nats_url: str) -> AsyncIterator[Callable[..., Awaitable[None]]]:
    """Start a worker in this process; settings by keyword."""
    async with AsyncExitStack() as stack:

        async def start(**options: Any) -> None:
            await stack.enter_async_context(running(serve, BotSettings(nats_url=nats_url, **options)))

        yield start


async def left(bus: Bus) -> int:
    """Tasks in the queue that nobody has acknowledged."""
    return (await bus.js.stream_info(streams.BOTS.name)).state.messages


async def emptied(bus: Bus) -> None:
    """Wait until nothing is left to do: of what was put in before, nothing will come any more."""

    async def empty() -> bool:
        return await left(bus) == 0

    await until(empty, "the end of the tasks")


async def test_a_task_is_answered_legally_for_its_seat(bus: Bus, room: FakeRoom, worker: Any) -> None:
    await worker()
    await room.give(room.task())
    await emptied(bus)
    (act,) = room.acts
    assert (act.room, act.seat, act.offer, act.token) == (
        room.game.room.hex,
        room.offer.seat,
        room.offer.id,
        TOKEN,
    )
    assert room.offer.problem(msgspec.json.decode(act.answer)) is None
    UUID(act.command_id)


async def test_the_same_task_again_is_the_same_command(bus: Bus, room: FakeRoom, worker: Any) -> None:
    await worker()
    for name in "abc":
        await room.give(room.task(), name)
        await emptied(bus)
    assert len(room.acts) == 3
    assert len({(act.command_id, bytes(act.answer)) for act in room.acts}) == 1
    await room.give(room.task(), "c")
    await emptied(bus)
    assert len(room.acts) == 3, "the same wake-up twice is one"


async def test_a_refused_answer_is_followed_by_the_default(bus: Bus, room: FakeRoom, worker: Any) -> None:
    await worker()
    room.says = [422]
    await room.give(room.task(policy="random"))
    await emptied(bus)
    first, second = room.acts
    assert msgspec.json.decode(second.answer) == msgspec.json.decode(msgspec.json.encode(room.offer.default))
    assert (first.offer, first.seat) == (second.offer, second.seat)
    if bytes(first.answer) != bytes(second.answer):
        assert first.command_id != second.command_id


@pytest.mark.parametrize("status", [409, 403, 404])
async def test_who_was_not_first_lets_it_be(bus: Bus, room: FakeRoom, worker: Any, status: int) -> None:
    await worker()
    room.says = [status]
    await room.give(room.task())
    await emptied(bus)
    assert len(room.acts) == 1


async def test_what_room_cannot_do_now_is_tried_again(bus: Bus, room: FakeRoom, worker: Any) -> None:
    await worker()
    room.says = [503, 429]
    await room.give(room.task())
    await emptied(bus)
    assert len(room.acts) == 3
    assert len({act.command_id for act in room.acts}) == 1


async def test_a_room_that_is_away_is_waited_for(bus: Bus, nats_url: str, worker: Any) -> None:
    await worker()
    room = FakeRoom(bus, record(40))
    await room.give(room.task())

    async def given_back() -> bool:
        return await delivered(bus) >= 2

    await until(given_back, "that the task is tried again")
    assert (await left(bus), room.acts) == (1, [])
    await room.open()
    await emptied(bus)
    assert len(room.acts) == 1


async def test_an_offer_that_is_gone_is_let_go(bus: Bus, room: FakeRoom, worker: Any) -> None:
    await worker()
    await room.give(room.task(offer="guild-0"))
    await room.give(room.task(token="x" * 64), "forged")
    await emptied(bus)
    assert room.acts == []
    assert len(room.looks) > 2, "it is looked for more than once: projection may lag behind"


async def test_a_killed_workers_task_goes_to_another(
    bus: Bus, room: FakeRoom, worker: Any, nats_url: str
) -> None:
    await bus.ensure_stream(HASTY)
    env = {**os.environ, "SIETCH_NATS_URL": nats_url, "SIETCH_PAUSE": "600"}
    with subprocess.Popen(
        [sys.executable, "-m", "services.bot"], env=env, stdout=subprocess.DEVNULL
    ) as doomed:
        try:
            await room.give(room.task())
            await until(lambda: taken(bus), "a worker that takes the task", 2 * PATIENCE)
        finally:
            doomed.kill()
    assert (await left(bus), room.acts) == (1, [])
    await worker()
    await until(lambda: room.acts, "another worker's answer")
    await emptied(bus)


async def taken(bus: Bus) -> int:
    """Tasks that a worker has and has not acknowledged."""
    consumers = await bus.js.consumers_info(streams.BOTS.name)
    return sum(consumer.num_ack_pending or 0 for consumer in consumers)


async def delivered(bus: Bus) -> int:
    """How often a task was given to a worker."""
    consumers = await bus.js.consumers_info(streams.BOTS.name)
    return sum(consumer.delivered.consumer_seq for consumer in consumers if consumer.delivered)


async def test_two_workers_share_and_many_tasks_are_all_done(bus: Bus, room: FakeRoom, worker: Any) -> None:
    await worker(tasks=2)
    await worker(tasks=2)
    for number in range(40):
        await room.give(room.task(), str(number))
    await emptied(bus)
    assert len(room.acts) == 40


async def test_a_worker_that_is_asked_to_end_finishes_its_task(
    bus: Bus, room: FakeRoom, nats_url: str
) -> None:
    room.gate.clear()
    async with running(serve, BotSettings(nats_url=nats_url)) as runtime:
        await room.give(room.task())
        await until(lambda: room.looks, "a worker that takes the task")
        runtime.drain.ask()
        room.gate.set()
    assert len(room.acts) == 1
    await emptied(bus)
