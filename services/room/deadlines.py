"""Clocks: a deadline that has passed is claimed by one replica, and rules play the offer's default. [GEN-13]

Fired once: the command id is made from the deadline, so that a second try finds the first one's outcome.
"""

from __future__ import annotations

import asyncio
import contextlib
from uuid import NAMESPACE_OID, UUID, uuid5

from services.room.decide import Accepted, Desk
from services.room.errors import ApiError
from services.room.store.store import Store, StoreDown
from shared.ops import metrics
from shared.ops.logging import get_logger
from shared.ops.refs import room_ref
from shared.ops.tasks import end_tasks
from shared.wire.messages import ExpireOffer

log = get_logger("room.deadlines")

EVERY_SECONDS = 0.5
"""How often deadlines are looked for at least: what becomes due in between is looked for the moment it does."""
LEAST_SECONDS = 0.01
"""Between two looks: what is due may be locked by a commit that closes it just now."""
CLAIM_SECONDS = 4
"""A claim whose owner has not fired by then is free for another: whoever is second finds the first one's outcome."""
BATCH = 50
"""How many are claimed in one statement."""
AT_ONCE = 200
"""How many a replica fires at once: rooms that hang take places, and leave the others to the rest."""

FIRED = metrics.counter("room_deadlines_fired", "Deadlines that passed", ("outcome",))

# One replica takes each; a claim that its owner did not survive is free again after a while. What this replica is
# firing it does not claim again: a room that hangs would take the places of others. By the statement's time, for that
# of the clock changes from row to row, so that the index on `due` would be read to its end.
_CLAIM = f"""
UPDATE deadlines AS d SET claimed = clock_timestamp()
FROM (
    SELECT room, seat, offer FROM deadlines
    WHERE due <= statement_timestamp() AND room <> ALL(%(firing)s::uuid[])
      AND (claimed IS NULL OR claimed < clock_timestamp() - make_interval(secs => {CLAIM_SECONDS}))
    ORDER BY due LIMIT %(most)s FOR UPDATE SKIP LOCKED
) AS mine
WHERE d.room = mine.room AND d.seat = mine.seat AND d.offer = mine.offer
RETURNING d.room, d.seat, d.offer, d.opened"""

# Seconds until the next one is due that nobody took yet.
_NEXT = """
SELECT extract(epoch FROM due - clock_timestamp())::float8 FROM deadlines
WHERE claimed IS NULL AND room <> ALL(%(firing)s::uuid[]) ORDER BY due LIMIT 1"""

_DONE = "DELETE FROM deadlines WHERE room = %s AND seat = %s AND offer = %s AND opened = %s"


def expiry_id(room: UUID, seat: str, offer: str, opened: int) -> UUID:
    """The command id of one deadline's expiry: the same at every replica and every try."""
    return uuid5(NAMESPACE_OID, f"{room.hex}:{opened}:{seat}:{offer}:expired")


class Deadlines:
    """Fires what is due, each on its own: whoever waits for one that hangs waits alone."""

    def __init__(self, store: Store, desk: Desk) -> None:
        self._store = store
        self._desk = desk
        self._firing: dict[asyncio.Task[None], UUID] = {}
        self._fired = asyncio.Event()

    async def run(self) -> None:
        """Look for due deadlines until cancelled: two indexed queries for all rooms."""
        pause = EVERY_SECONDS
        try:
            while True:
                await self._wait(pause)
                pause = await self._look()
        finally:
            await end_tasks(*self._firing)

    async def _wait(self, seconds: float) -> None:
        """Until the next look: for so long, or until one was fired, whose room and place are free again."""
        await asyncio.sleep(LEAST_SECONDS)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds - LEAST_SECONDS)):
                await self._fired.wait()
        self._fired.clear()

    async def _look(self) -> float:
        """Fire what is due; seconds until the next look."""
        try:
            while await self.fire() == BATCH:
                continue
            return await self._until_next()
        except StoreDown as error:
            log.warning("deadlines cannot be looked for", reason=str(error))
        except Exception:
            log.exception("looking for deadlines failed; the next look goes on")
        return EVERY_SECONDS

    async def _until_next(self) -> float:
        """Seconds until the next look.

        On a steady beat, whose phase can be learnt, what orders answer would be told from what people do. [WINPOL-07]
        """
        if len(self._firing) >= AT_ONCE:
            return EVERY_SECONDS
        rows = await self._store.write(_NEXT, {"firing": self._rooms()})
        return min(EVERY_SECONDS, max(LEAST_SECONDS, rows[0][0])) if rows else EVERY_SECONDS

    async def fire(self) -> int:
        """Claim what is due now and begin to fire it. Returns how many were claimed."""
        most = min(BATCH, AT_ONCE - len(self._firing))
        if most <= 0:
            return 0
        due = await self._store.write(_CLAIM, {"firing": self._rooms(), "most": most})
        for row in due:
            task = asyncio.create_task(self._expire(*row))
            self._firing[task] = row[0]
            task.add_done_callback(self._done)
        return len(due)

    def _rooms(self) -> list[UUID]:
        """The rooms in which this replica is firing: their commands wait for each other anyhow."""
        return list(set(self._firing.values()))

    def _done(self, task: asyncio.Task[None]) -> None:
        del self._firing[task]
        self._fired.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            # Its claim runs out, and whoever takes it then finds this one's outcome.
            log.warning("a deadline that was fired could not be put away", reason=type(error).__name__)

    async def _expire(self, room: UUID, seat: str, offer: str, opened: int) -> None:
        command_id = expiry_id(room, seat, offer, opened)
        try:
            head = await self._store.head(room, (), command_id)
            if head is None:
                return
            reply = await self._desk.decide(head, seat, ExpireOffer(seat, offer), command_id)
        except (ApiError, StoreDown) as error:
            FIRED.labels(outcome="later").inc()
            log.warning(
                "a deadline could not be fired and will be tried again",
                room=room_ref(room),
                reason=str(error),
            )
            return
        except Exception:
            # One room that cannot be decided must not stop the clocks of all others; its claim runs out.
            FIRED.labels(outcome="failed").inc()
            log.exception("a deadline could not be fired", room=room_ref(room))
            return
        FIRED.labels(outcome="played" if isinstance(reply, Accepted) else "stale").inc()
        # An accepted expiry closed the offer and its row with it, unless rules kept the offer open: never twice.
        await self._store.write(_DONE, (room, seat, offer, opened))
