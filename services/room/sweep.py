"""What lost hints left behind: wake-ups that NATS never took, bots' tasks that are nowhere, rooms that are done.

A bot's task lies in its stream until the bot acknowledged it, so a bot that is only slow is left in peace: a task is
lost when the room still waits and the stream does not hold it. One query finds what may be lost in all rooms.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from services.room.commits import bot_task
from services.room.decide import Desk
from services.room.outbox import Outbox
from services.room.settings import RoomSettings
from services.room.store.append import OpenRow
from services.room.store.store import Store, StoreDown
from shared.ops import metrics
from shared.ops.logging import get_logger
from shared.ops.refs import room_ref
from shared.wire.errors import BusError
from shared.wire.messages import BotTask

log = get_logger("room.sweep")

BATCH = 100
AT_ONCE_SECONDS = 0.5
"""At the first sweep, what is older than this is taken to be lost."""
SETTLE_SECONDS = 5.0
"""How often finished rooms are taken out of the sweep."""
FOUND = metrics.counter("room_swept", "Rooms found with something left behind", ("what",))

_FIND = """
SELECT id, greatest(updated_at, asked_at), version,
    published < version AND updated_at < clock_timestamp() - make_interval(secs => %(wakeup)s),
    bot_waits AND greatest(updated_at, asked_at) < clock_timestamp() - make_interval(secs => %(bots)s)
FROM rooms
WHERE NOT settled AND (%(id)s::uuid IS NULL OR (greatest(updated_at, asked_at), id) > (%(moment)s, %(id)s)) AND (
    (published < version AND updated_at < clock_timestamp() - make_interval(secs => %(wakeup)s))
    OR (bot_waits AND greatest(updated_at, asked_at) < clock_timestamp() - make_interval(secs => %(bots)s)))
ORDER BY greatest(updated_at, asked_at), id LIMIT %(most)s"""

Last = tuple[datetime | None, UUID | None]
"""The last room of a full batch, by its moment and id: the next sweep goes on after it, for without NATS nothing
becomes of those that were found."""
NOWHERE: Last = (None, None)

# One replica looks into each room, and then nobody for a while.
_CLAIM = """
UPDATE rooms SET asked_at = clock_timestamp() WHERE id IN (
    SELECT id FROM rooms
    WHERE id = ANY(%s) AND bot_waits
      AND greatest(updated_at, asked_at) < clock_timestamp() - make_interval(secs => %s)
    FOR UPDATE SKIP LOCKED
) RETURNING id, version, bot_key, open, lobby"""

_SETTLE = "UPDATE rooms SET settled = true WHERE NOT settled AND finished AND published = version"


class Sweep:
    """Looks over the unsettled rooms, in a few statements for all of them."""

    def __init__(self, settings: RoomSettings, store: Store, desk: Desk, outbox: Outbox) -> None:
        self._settings = settings
        self._store = store
        self._desk = desk
        self._outbox = outbox
        self._settle_at = 0.0
        self._last: Last = NOWHERE

    async def run(self) -> None:
        """Sweep until cancelled. At once to begin with: whoever was here before may have died over a commit."""
        ages = (AT_ONCE_SECONDS, AT_ONCE_SECONDS)
        while True:
            try:
                await self.sweep(*ages)
                ages = (self._settings.wakeup_after, self._settings.bots_again)
            except StoreDown as error:
                log.warning("cannot sweep", reason=str(error))
            except Exception:
                log.exception("a sweep failed; the next one goes on")
            await asyncio.sleep(self._settings.sweep_every)

    async def sweep(self, wakeup_after: float, bots_again: float) -> None:
        """Publish again what was lost, ask bots whose task is gone, settle finished rooms. Ages in seconds."""
        last, self._last = self._last, NOWHERE
        ages = {"wakeup": wakeup_after, "bots": bots_again}
        found = await self._store.write(_FIND, {**ages, "moment": last[0], "id": last[1], "most": BATCH})
        if len(found) == BATCH:
            self._last = (found[-1][1], found[-1][0])
        for room, _, version, unpublished, _ in found:
            if unpublished:
                await self._seen_to(room, self._wake(room, version))
        waiting = [room for room, _, _, _, waits in found if waits]
        if waiting:
            claimed = await self._store.write(_CLAIM, (waiting, bots_again))
            for room, version, key, open_, lobby in claimed:
                rows = [OpenRow(**row) for row in open_]
                await self._seen_to(room, self._ask(room, version, bytes(key), rows, lobby))
        if time.monotonic() >= self._settle_at:
            self._settle_at = time.monotonic() + min(SETTLE_SECONDS, self._settings.sweep_every * 5)
            await self._store.write(_SETTLE)

    async def _seen_to(self, room: UUID, work: Coroutine[None, None, None]) -> None:
        """One room that cannot be read must not keep the others waiting for ever."""
        try:
            await work
        except StoreDown:
            raise
        except Exception:
            log.exception("a room could not be swept; the others are", room=room_ref(room))

    async def _wake(self, room: UUID, version: int) -> None:
        """The newest commit is enough: projection fills what it lacks before it from the store."""
        FOUND.labels(what="wake-up").inc()
        for number, events, checkpoint, finished in await self._store.commits(room, version - 1, 1):
            self._outbox.commit(room, number, events, checkpoint, finished)

    async def _ask(self, room: UUID, version: int, key: bytes, open_: Sequence[OpenRow], lobby: int) -> None:
        bots = await self._desk.bots(room, lobby)
        row = next((row for row in open_ if row.seat in bots), None)
        if row is None:
            return
        task = bot_task(room, version, key, row, bots[row.seat])
        if not await self._waits(task):
            FOUND.labels(what="bot").inc()
            self._outbox.bot_task(room, version, task, again=f":{time.time_ns()}")

    async def _waits(self, task: BotTask) -> bool:
        """Whether the task lies in the stream, or nobody can say: without NATS nothing can be asked anyhow."""
        try:
            found = await self._outbox.waiting(task.room)
        except BusError as error:
            log.debug("cannot look for a bot's task", reason=str(error))
            return True
        if found is None:
            return False
        waiting, age = found
        same = msgspec.structs.replace(waiting, version=task.version) == task
        return same and age < self._settings.bots_lost
