"""What projection reads of the event store. It writes nothing."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
from msgspec import Raw, Struct

from shared.ops.database import Connection, Pool

__all__ = ["Store", "StoredCommit", "StoredRoom"]

RECENT_EVENTS = 400
"""How many past events a room's log begins with when the room is taken up."""
PATIENCE_SECONDS = 1.0
"""How long a connection that broke is made again before the store counts as away: whoever asked will ask again."""

_VERSION = "SELECT version, scenario FROM rooms WHERE id = %s"
_EVENTS = """
SELECT version, body::text FROM events WHERE room = %(room)s AND version > %(after)s AND version <= %(upto)s
ORDER BY version, index
"""
# Many events come as one text with commas between: rows of their own cost more than the reading of what is in them.
_FACTS = """
SELECT string_agg(body::text, ',') FROM (
    SELECT body FROM events WHERE room = %(room)s AND version > %(after)s AND version <= %(upto)s
    ORDER BY version, index
) AS facts
"""
# A room at a version: its checkpoint, its newest snapshot, and its latest events, those before the snapshot apart.
_STANDS = """
SELECT c.checkpoint, coalesce(base.version, 0), base.body, newest.count, newest.first, newest.past, newest.facts
FROM commits AS c
LEFT JOIN LATERAL (
    SELECT version, body FROM snapshots AS s WHERE s.room = c.room AND s.version <= c.version
    ORDER BY version DESC LIMIT 1
) AS base ON true
LEFT JOIN LATERAL (
    SELECT count(*) AS count, min(version) AS first,
        string_agg(body::text, ',') FILTER (WHERE version <= coalesce(base.version, 0)) AS past,
        string_agg(body::text, ',') FILTER (WHERE version > coalesce(base.version, 0)) AS facts
    FROM (
        SELECT version, body FROM (
            SELECT version, index, body FROM events AS e WHERE e.room = c.room AND e.version <= c.version
            ORDER BY version DESC, index DESC LIMIT %(limit)s
        ) AS latest ORDER BY version, index
    ) AS ordered
) AS newest ON true
WHERE c.room = %(room)s AND c.version = %(upto)s
"""
_CHECKPOINTS = """
SELECT version, checkpoint FROM commits WHERE room = %(room)s AND version > %(after)s AND version <= %(upto)s
ORDER BY version
"""


_rows = msgspec.json.Decoder(list[Raw])


class StoredCommit(Struct, frozen=True):
    """One commit as it lies in the store: the JSON of its events, and its checkpoint."""

    version: int
    events: list[bytes]
    checkpoint: bytes


class StoredRoom(Struct, frozen=True):
    """Where a room's stream can be taken up: a snapshot (None: from the beginning) and what follows up to `version`.

    `events` is a JSON array of what follows, `recent` the latest events whether they follow or not.
    """

    version: int
    table: bytes | None
    events: bytes
    checkpoint: bytes
    recent: list[bytes]


class Store:
    """Reads rooms' streams. Raises StoreLost while PostgreSQL cannot be reached."""

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
        values: dict[str, Any] = {"room": UUID(hex=room), "upto": version, "limit": RECENT_EVENTS}

        async def read(connection: Connection) -> StoredRoom:
            row = await (await connection.execute(_STANDS, values, prepare=True)).fetchone()
            if row is None:
                raise LookupError(f"the store holds no commit {version} of that room")
            checkpoint, after, table, count, first, past, facts = row
            recent = [bytes(body) for body in _rows.decode(_array(past, facts))]
            if count == RECENT_EVENTS and first > after:  # not all that is to be folded need be among them
                every = await connection.execute(_FACTS, {**values, "after": after}, prepare=True)
                facts = (await every.fetchone() or (None,))[0]
            return StoredRoom(
                version, None if table is None else bytes(table), _array(facts), bytes(checkpoint), recent
            )

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


def _array(*parts: str | None) -> bytes:
    """Events between commas as one JSON array."""
    return f"[{','.join(part for part in parts if part)}]".encode()
