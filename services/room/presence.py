"""Who has a stream open, at any replica: told by hints that expire, so that a dead replica's seats fall silent."""

from __future__ import annotations

import time
from collections.abc import Callable

from shared.wire import subjects
from shared.wire.client import Bus
from shared.wire.errors import BusError
from shared.wire.messages import RoomHint

GOOD_FOR_SECONDS = 15.0


class Presence:
    """Connected seats of every room that any replica has streams for, by room id in hex."""

    def __init__(self, bus: Bus, replica: str, on_hint: Callable[[str, bool], None]) -> None:
        self._bus = bus
        self._replica = replica
        self._on_hint = on_hint
        self._seen: dict[str, dict[str, tuple[list[int], float]]] = {}

    async def listen(self) -> None:
        """Hear the hints of all replicas, this one included."""
        await self._bus.subscribe(subjects.ROOM_HINTS, RoomHint, self._heard)

    def connected(self, room: str) -> set[int]:
        """The lobby seats of a room that somebody has a stream open for."""
        now = time.monotonic()
        replicas = self._seen.get(room, {})
        return {seat for seats, until in replicas.values() if until > now for seat in seats}

    async def tell(self, room: str, seats: list[int], changed: bool = False) -> None:
        """Tell every replica who is connected here, and whether something else about the room changed."""
        hint = RoomHint(room, self._replica, seats, GOOD_FOR_SECONDS, changed)
        try:
            await self._bus.publish(subjects.room_hint(room), hint)
        except BusError:
            # Without NATS at least the streams of this process learn of it.
            await self._heard("", hint)

    async def _heard(self, _: str, hint: RoomHint) -> None:
        before = self.connected(hint.room)
        replicas = self._seen.setdefault(hint.room, {})
        if hint.seats:
            replicas[hint.replica] = (sorted(hint.seats), time.monotonic() + hint.seconds)
        else:
            replicas.pop(hint.replica, None)
            if not replicas:
                del self._seen[hint.room]
        if hint.changed or before != self.connected(hint.room):
            self._on_hint(hint.room, hint.changed)

    def expire(self) -> None:
        """Forget replicas that have fallen silent."""
        now = time.monotonic()
        for room in list(self._seen):
            replicas = self._seen[room]
            gone = [name for name, (_, until) in replicas.items() if until <= now]
            for name in gone:
                del replicas[name]
            if not replicas:
                del self._seen[room]
            if gone:
                self._on_hint(room, False)
