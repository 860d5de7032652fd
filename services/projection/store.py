"""What projection reads of the event store, and the read models that it keeps: its only table is its own."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from msgspec import Struct

from shared.ops.database import Connection, Pool

__all__ = ["Progress", "Store", "StoredCommit", "StoredRoom"]

RECENT_EVENTS = 400
"""How many past events a room's log begins with when the room is taken up."""
PATIENCE_SECONDS = 1.0
"""How long a connection that broke is made again before the store counts as away: whoever asked will ask again."""

_VERSION = "SELECT version, scenario FROM rooms WHERE id = %s"
_SNAPSHOT = """
SELECT version, body FROM snapshots WHERE room = %(room)s AND version <= %(version)s ORDER BY version DESC LIMIT 1
"""
_EVENTS = """
SELECT version, body::text FROM events WHERE room = %(room)s AND version > %(after)s AND version <= %(upto)s
ORDER BY version, index
"""
_RECENT = """
SELECT version, body::text FROM (
    SELECT version, index, body FROM events WHERE room = %(room)s AND version <= %(upto)s
    ORDER BY version DESC, index DESC LIMIT %(limit)s
) AS newest ORDER BY version, index
"""
_CHECKPOINTS = """
SELECT version, checkpoint FROM commits WHERE room = %(room)s AND version > %(after)s AND version <= %(upto)s
ORDER BY version
"""
_CHECKPOINT = "SELECT checkpoint FROM commits WHERE room = %(room)s AND version = %(version)s"
_PROGRESS = """
INSERT INTO room_progress (room, version, turn, phase, result)
VALUES (%(room)s, %(version)s, coalesce(%(turn)s, 0), coalesce(%(phase)s, 'setup'), %(result)s::jsonb)
ON CONFLICT (room) DO UPDATE SET
    version = excluded.version,
    turn = coalesce(%(turn)s, room_progress.turn),
    phase = coalesce(%(phase)s, room_progress.phase),
    result = coalesce(excluded.result, room_progress.result),
    updated_at = clock_timestamp()
WHERE room_progress.version < excluded.version
"""


class StoredCommit(Struct, frozen=True):
    """One commit as it lies in the store: the JSON of its events, and its checkpoint."""

    version: int
    events: list[bytes]
    checkpoint: bytes


class StoredRoom(Struct, frozen=True):
    """Where a room's stream can be taken up: a snapshot (None: from the beginning) and what follows up to `version`."""

    version: int
    table: bytes | None
    events: list[bytes]
    checkpoint: bytes
    recent: list[bytes]


class Progress(Struct, frozen=True):
    """What the directory shows of a running game; None: unchanged by this commit."""

    turn: int | None
    phase: str | None
    result: str | None


class Store:
    """Reads rooms' streams, writes read models. Raises StoreLost while PostgreSQL cannot be reached."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def version(self, room: str) -> tuple[int, bool] | None:
        """The newest version of a room, and whether it is a scenario room; None if there is no such room."""
        id_ = UUID(hex=room)

        async def read(connection: Connection) -> tuple[int, bool] | None:
            row = await (await connection.execute(_VERSION, (id_,), prepare=True)).fetchone()
            return (int(row[0]), bool(row[1])) if row else None

        return await self._pool.reading(read, PATIENCE_SECONDS)

    async def take_up(self, room: str, version: int) -> StoredRoom:
        """Everything that is needed to stand at a version; LookupError if the room has no such commit."""
        values = {"room": UUID(hex=room), "version": version, "upto": version, "limit": RECENT_EVENTS}

        async def read(connection: Connection) -> StoredRoom:
            snapshot = await (await connection.execute(_SNAPSHOT, values)).fetchone()
            after = snapshot[0] if snapshot else 0
            recent = await (await connection.execute(_RECENT, values)).fetchall()
            if len(recent) < RECENT_EVENTS or recent[0][0] <= after:
                events = [row for row in recent if row[0] > after]  # the log holds all that is to be folded
            else:
                events = await (await connection.execute(_EVENTS, {**values, "after": after})).fetchall()
            saved = await (await connection.execute(_CHECKPOINT, values)).fetchone()
            if saved is None:
                raise LookupError(f"the store holds no commit {version} of that room")
            table = bytes(snapshot[1]) if snapshot else None
            return StoredRoom(version, table, _bodies(events), bytes(saved[0]), _bodies(recent))

        return await self._pool.reading(read, PATIENCE_SECONDS)

    async def commits(self, room: str, after: int, upto: int) -> list[StoredCommit]:
        """The commits above `after` up to `upto`, in order: what lost hints left out."""
        values = {"room": UUID(hex=room), "after": after, "upto": upto}

        async def read(connection: Connection) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
            rows = await (await connection.execute(_CHECKPOINTS, values)).fetchall()
            return rows, await (await connection.execute(_EVENTS, values)).fetchall()

        rows, facts = await self._pool.reading(read, PATIENCE_SECONDS)
        events: dict[int, list[bytes]] = {}
        for version, body in facts:
            events.setdefault(version, []).append(body.encode())
        return [StoredCommit(version, events.get(version, []), bytes(saved)) for version, saved in rows]

    async def note(self, room: str, version: int, progress: Progress) -> None:
        """Bring the directory's row of a room up to date; an older version than it shows changes nothing."""
        values = {"room": UUID(hex=room), "version": version, "turn": progress.turn, "phase": progress.phase}

        async def write(connection: Connection) -> None:
            await connection.execute(_PROGRESS, {**values, "result": progress.result})

        await self._pool.reading(write, PATIENCE_SECONDS)


def _bodies(rows: list[tuple[object, ...]]) -> list[bytes]:
    return [str(body).encode() for _, body in rows]
