"""What lost hints left behind: wake-ups that NATS never took, bots that never answered, rooms that are done."""

from __future__ import annotations

import asyncio
import time
from uuid import UUID

from services.room.decide import Desk, bot_task
from services.room.outbox import Outbox
from services.room.settings import RoomSettings
from services.room.store.append import OpenRow
from services.room.store.store import Store, StoreDown
from shared.ops import metrics
from shared.ops.logging import get_logger

log = get_logger("room.sweep")

BATCH = 100
AT_ONCE_SECONDS = 0.5
"""At the first sweep, what is older than this is taken to be lost."""
FOUND = metrics.counter("room_swept", "Rooms found with something left behind", ("what",))

_LOST = f"""
SELECT id, version FROM rooms
WHERE NOT settled AND published < version AND updated_at < clock_timestamp() - make_interval(secs => %s)
LIMIT {BATCH}"""

_WAITING = f"""
UPDATE rooms SET asked_at = clock_timestamp() WHERE id IN (
    SELECT id FROM rooms
    WHERE NOT settled AND bot_waits
      AND greatest(updated_at, asked_at) < clock_timestamp() - make_interval(secs => %s)
    LIMIT {BATCH} FOR UPDATE SKIP LOCKED
) RETURNING id, version, bot_key, open"""

_SETTLE = "UPDATE rooms SET settled = true WHERE NOT settled AND finished AND published = version"


class Sweep:
    """Looks over the unsettled rooms, in a few statements for all of them."""

    def __init__(self, settings: RoomSettings, store: Store, desk: Desk, outbox: Outbox) -> None:
        self._settings = settings
        self._store = store
        self._desk = desk
        self._outbox = outbox

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
                # One room that cannot be read must not keep the others waiting for ever.
                log.exception("a sweep failed; the next one goes on")
            await asyncio.sleep(self._settings.sweep_every)

    async def sweep(self, wakeup_after: float, bots_again: float) -> None:
        """Publish again what was lost, ask bots again, settle finished rooms. Ages in seconds."""
        for room, version in await self._store.write(_LOST, (wakeup_after,)):
            await self._wake(room, version)
        for room, version, key, open_ in await self._store.write(_WAITING, (bots_again,)):
            await self._ask(room, version, bytes(key), [OpenRow(**row) for row in open_])
        await self._store.write(_SETTLE)

    async def _wake(self, room: UUID, version: int) -> None:
        """The newest commit is enough: projection fills what it lacks before it from the store."""
        FOUND.labels(what="wake-up").inc()
        for number, events, checkpoint, finished in await self._store.commits(room, version - 1, 1):
            self._outbox.commit(room, number, events, checkpoint, finished)

    async def _ask(self, room: UUID, version: int, key: bytes, open_: list[OpenRow]) -> None:
        FOUND.labels(what="bot").inc()
        bots = await self._desk.bots(room)
        row = next((row for row in open_ if row.seat in bots), None)
        if row is not None:
            task = bot_task(room, key, row, bots[row.seat])
            self._outbox.bot_task(room, version, task, again=f":{time.time_ns()}")
