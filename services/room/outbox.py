"""What leaves after a commit: the wake-up for projection and tasks for bots. Hints only; a lost one is swept up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from uuid import UUID

from msgspec import Raw
from opentelemetry.trace import SpanKind

from services.room.store.store import Store, StoreDown
from shared.ops import metrics
from shared.ops.logging import get_logger
from shared.ops.stages import Stage
from shared.wire import streams, subjects
from shared.wire.client import Bus
from shared.wire.errors import BusError
from shared.wire.messages import BotTask, Commit

log = get_logger("room.outbox")

FLUSH_SECONDS = 1.0
PUBLISH = Stage("room.publish", "Until NATS took a hint", ("kind",), SpanKind.PRODUCER)
PUBLISHED = metrics.Children(
    metrics.counter("room_published", "Hints published after commits", ("kind", "outcome"))
)


class Outbox:
    """Publishes in the background and remembers which versions NATS has acknowledged."""

    def __init__(self, bus: Bus, store: Store) -> None:
        self._bus = bus
        self._store = store
        self._tasks: set[asyncio.Task[None]] = set()
        self._acknowledged: dict[UUID, int] = {}

    async def prepare(self, patience: float = 0.0) -> None:
        """Make the streams; for `patience` seconds again while JetStream is not there yet. Raises BusError."""
        until = time.monotonic() + patience
        for stream in (streams.COMMITS, streams.BOTS):
            while True:
                try:
                    await self._bus.ensure_stream(stream)
                    break
                except BusError:
                    if time.monotonic() >= until:
                        raise
                    await asyncio.sleep(0.1)

    def commit(
        self,
        room: UUID,
        version: int,
        events: Sequence[bytes],
        checkpoint: bytes,
        finished: bool,
        at: float = 0.0,
    ) -> None:
        """Wake projection for one commit, made at this Unix time (0: a repeat). Returns at once."""
        message = Commit(room.hex, version, [Raw(event) for event in events], Raw(checkpoint), finished, at)
        self._spawn(self._publish_commit(room, message))

    def bot_task(self, room: UUID, version: int, task: BotTask, again: str = "") -> None:
        """Ask the bots for one answer. `again` makes a repeat that the stream does not take for a duplicate."""
        msg_id = f"{room.hex}:{version}:{task.seat}:{task.offer}{again}"
        self._spawn(self._publish_task(task, msg_id))

    async def waiting(self, room_hex: str) -> tuple[BotTask, float] | None:
        """The newest task of a room that no bot has finished, and its age in seconds. Raises BusError."""
        return await self._bus.newest(streams.BOTS, subjects.bot_task(room_hex), BotTask)

    async def _publish_commit(self, room: UUID, message: Commit) -> None:
        try:
            with PUBLISH() as step:
                step.say("commit")
                await self._bus.publish_durable(
                    streams.COMMITS, subjects.commit(room.hex), message, f"{room.hex}:{message.version}"
                )
        except BusError as error:
            PUBLISHED["commit", "lost"].inc()
            log.warning("a wake-up was not taken; the sweep will repeat it", reason=str(error))
            return
        PUBLISHED["commit", "taken"].inc()
        self._acknowledged[room] = max(message.version, self._acknowledged.get(room, 0))

    async def _publish_task(self, task: BotTask, msg_id: str) -> None:
        try:
            with PUBLISH() as step:
                step.say("task")
                await self._bus.publish_durable(streams.BOTS, subjects.bot_task(task.room), task, msg_id)
        except BusError as error:
            PUBLISHED["task", "lost"].inc()
            log.warning("a bot's task was not taken; the sweep will repeat it", reason=str(error))
            return
        PUBLISHED["task", "taken"].inc()

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def flush(self) -> None:
        """Write down which versions were acknowledged, so that no sweep repeats them."""
        if not self._acknowledged:
            return
        batch, self._acknowledged = self._acknowledged, {}
        try:
            await self._store.write(
                "UPDATE rooms SET published = greatest(published, seen.version) "
                "FROM unnest(%s::uuid[], %s::int[]) AS seen (room, version) "
                "WHERE rooms.id = seen.room AND published < seen.version",
                (list(batch), list(batch.values())),
            )
        except StoreDown:
            for room, version in batch.items():
                self._acknowledged[room] = max(version, self._acknowledged.get(room, 0))

    async def run(self) -> None:
        """Flush every second until cancelled."""
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            await self.flush()

    async def close(self, seconds: float = 3.0) -> None:
        """Wait for what is on its way, at most `seconds`, and flush."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        await self.flush()
