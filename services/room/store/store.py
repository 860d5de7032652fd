"""What the room service reads and writes on its hot path, each in one round trip."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from services.room.store.append import NewCommit, OpenRow, append
from shared.ops.database import Connection, Pool, StoreLost
from shared.ops.stages import Stage

T = TypeVar("T")

HEAD = Stage(
    "room.head", "Looking a room, the tokens shown and the command up: none while they are remembered"
)

_HEAD = """
SELECT r.id, r.code, r.state, r.scenario, r.version, r.hash, r.open, r.bot_key, r.settings -> 'clock', r.lobby,
    t.seat, t.scope, s.kind, s.faction, c.version, c.outcome::text, t.id, c.asked, t.hash
FROM rooms r
LEFT JOIN tokens t ON t.room = r.id AND t.hash = ANY(%(hashes)s) AND t.revoked_at IS NULL
LEFT JOIN seats s ON s.room = r.id AND s.seat = t.seat
LEFT JOIN commits c ON c.room = r.id AND c.command_id = %(command_id)s
WHERE """

# The seats follow the room's row, locked first, so that nobody sits down between the deal and the first commit.
_FIX_SEATS = """
WITH room AS (SELECT id FROM rooms WHERE id = %s AND lobby = %s AND state = 'lobby' FOR UPDATE)
UPDATE seats SET faction = dealt.faction, position = dealt.position
FROM room, unnest(%s::int[], %s::text[], %s::int[]) AS dealt (seat, faction, position)
WHERE seats.room = room.id AND seats.seat = dealt.seat"""
# Many events come as one text with commas between: rows of their own cost more than the reading of what is in them.
_LOAD = """
SELECT base.body, coalesce(facts.joined, ''), c.checkpoint, r.scenario
FROM commits AS c
JOIN rooms AS r ON r.id = c.room
LEFT JOIN LATERAL (
    SELECT version, body FROM snapshots AS s WHERE s.room = c.room AND s.version <= c.version
    ORDER BY version DESC LIMIT 1
) AS base ON true
LEFT JOIN LATERAL (
    SELECT string_agg(body::text, ',') AS joined FROM (
        SELECT body FROM events AS e
        WHERE e.room = c.room AND e.version > coalesce(base.version, 0) AND e.version <= c.version
        ORDER BY e.version, e.index
    ) AS ordered
) AS facts ON true
WHERE c.room = %s AND c.version = %s"""
_DESCRIBE = """
SELECT code, name, state, scenario, settings, result, (
    SELECT json_agg(json_build_object('seat', seat, 'kind', kind, 'name', name, 'faction', faction,
        'ready', ready, 'policy', policy) ORDER BY seat)
    FROM seats WHERE seats.room = rooms.id)
FROM rooms WHERE id = %s"""


@dataclass(frozen=True, slots=True)
class Grant:
    """One valid token of a room: whose seat (None: the host), what for, and the seat's faction once it has one."""

    id: UUID
    seat: int | None
    scope: str
    kind: str | None
    faction: str | None
    hash: bytes


@dataclass(frozen=True, slots=True)
class Head:
    """Where a room's stream stands, who asks, and what was said to this command before.

    `certain`: read from the store for this very command. Otherwise it is remembered, and may be out of date.
    """

    id: UUID
    code: str
    state: str
    scenario: bool
    version: int
    hash: bytes
    open: tuple[OpenRow, ...]
    bot_key: bytes
    clock: dict[str, float]
    lobby: int
    grants: tuple[Grant, ...]
    done_version: int | None
    outcome: bytes | None
    asked: bytes
    certain: bool = True


class StoreDown(Exception):
    """PostgreSQL could not be reached within the time allowed."""


class OutdatedError(Exception):
    """A room has gone on so far that what a version of it follows from is not kept any more: read its head again."""


class Store:
    """The hot path's store. Every method is one statement on a pinned connection."""

    def __init__(self, pool: Pool, patience: float = 5.0) -> None:
        self._pool = pool
        self._patience = patience

    async def reading(self, work: Callable[[Connection], Awaitable[T]], patience: float | None = None) -> T:
        """Run a read, again on a new connection when one broke, for `patience` seconds; then `StoreDown`."""
        try:
            return await self._pool.reading(work, self._patience if patience is None else patience)
        except StoreLost as lost:
            raise StoreDown("the database cannot be reached at the moment") from lost

    async def head(
        self, room: UUID | str, hashes: Sequence[bytes] = (), command: UUID | None = None
    ) -> Head | None:
        """A room by id or by code, the tokens shown that are valid for it, and the outcome of a known command."""
        where = "r.id = %(room)s" if isinstance(room, UUID) else "r.code = %(room)s"
        parameters = {"room": room, "hashes": list(hashes), "command_id": command}

        async def read(connection: Connection) -> list[tuple[Any, ...]]:
            cursor = await connection.execute(_HEAD + where, parameters, prepare=True)
            return await cursor.fetchall()

        with HEAD():
            rows = await self.reading(read)
        return _head(rows) if rows else None

    async def append(self, commit: NewCommit) -> int | None:
        """Append one commit; None when the room has to be read again. Raises `StoreLost`: then look the command up."""
        async with self._pool.connection() as connection:
            return await append(connection, commit)

    async def append_start(
        self, commit: NewCommit, lobby: int, dealt: Sequence[tuple[int, str, int]]
    ) -> bool:
        """Append a room's first commit and fix its seats, in one transaction; False when the lobby has changed."""
        columns = [list(column) for column in zip(*dealt, strict=True)]
        async with self._pool.connection() as connection:
            await connection.execute("BEGIN")
            cursor = await connection.execute(_FIX_SEATS, (commit.room, lobby, *columns))
            done = cursor.rowcount == len(dealt) and await append(connection, commit) is not None
            await connection.execute("COMMIT" if done else "ROLLBACK")
            return done

    async def bot_seats(self, room: UUID) -> dict[str, str]:
        """The factions that bots play in a room, with their policies; for their players too. [NEXUS-65]"""

        async def read(connection: Connection) -> dict[str, str]:
            cursor = await connection.execute(
                "SELECT faction, policy FROM seats WHERE room = %s AND policy IS NOT NULL AND faction IS NOT NULL",
                (room,),
            )
            return {row[0]: row[1] for row in await cursor.fetchall()}

        return await self.reading(read)

    async def lobbies(self, rooms: Sequence[str]) -> dict[str, int]:
        """The numbers of these rooms' lobbies, by room id in hex: they grow with every change of seats and tokens."""

        async def read(connection: Connection) -> dict[str, int]:
            cursor = await connection.execute(
                "SELECT id, lobby FROM rooms WHERE id = ANY(%s::uuid[])", (list(rooms),), prepare=True
            )
            return {row[0].hex: row[1] for row in await cursor.fetchall()}

        return await self.reading(read)

    async def clocks(self, room: UUID, seat: str) -> dict[str, float]:
        """Seconds left for each open offer of a seat that has a clock."""
        rows = await self.write(
            "SELECT offer, greatest(0, extract(epoch FROM due - clock_timestamp()))::float8 FROM deadlines "
            "WHERE room = %s AND seat = %s",
            (room, seat),
        )
        return {offer: round(seconds, 1) for offer, seconds in rows}

    async def describe(self, room: UUID) -> dict[str, Any] | None:
        """A room as anybody may see it: code, name, state, settings, result and seats in order."""

        async def read(connection: Connection) -> dict[str, Any] | None:
            cursor = await connection.execute(_DESCRIBE, (room,), prepare=True)
            row = await cursor.fetchone()
            if row is None:
                return None
            keys = ("code", "name", "state", "scenario", "settings", "result", "seats")
            return dict(zip(keys, row, strict=True))

        return await self.reading(read)

    async def load(self, room: UUID, version: int) -> tuple[bytes | None, bytes, bytes]:
        """What a rules worker lacks: newest snapshot at or below `version`, the events after it, the checkpoint.

        The events come as one JSON array. Raises OutdatedError for a version of a staged table, which follows from no
        events, that is older than every snapshot.
        """

        async def read(connection: Connection) -> tuple[bytes | None, bytes, bytes]:
            row = await (await connection.execute(_LOAD, (room, version), prepare=True)).fetchone()
            if row is None:
                raise LookupError(f"room {room} has no commit {version}: run `sietch verify store`")
            table, events, checkpoint, staged = row
            if staged and table is None:
                raise OutdatedError
            return None if table is None else bytes(table), f"[{events}]".encode(), bytes(checkpoint)

        return await self.reading(read)

    async def commits(
        self, room: UUID, after: int, limit: int = 200
    ) -> list[tuple[int, list[bytes], bytes, bool]]:
        """Commits after a version: version, events, checkpoint, whether the game ended with it."""

        async def read(connection: Connection) -> list[tuple[int, list[bytes], bytes, bool]]:
            cursor = await connection.execute(
                "SELECT c.version, c.checkpoint, c.finished, ARRAY(SELECT e.body::text FROM events e WHERE "
                "e.room = c.room AND e.version = c.version ORDER BY e.index) FROM commits c "
                "WHERE c.room = %s AND c.version > %s ORDER BY c.version LIMIT %s",
                (room, after, limit),
            )
            rows = await cursor.fetchall()
            return [(v, [text.encode() for text in events], bytes(c), f) for v, c, f, events in rows]

        return await self.reading(read)

    async def write(
        self, statement: str, parameters: Sequence[Any] | Mapping[str, Any] = ()
    ) -> list[tuple[Any, ...]]:
        """One idempotent statement, tried again when a connection broke. Returns the rows it returns."""

        async def run(connection: Connection) -> list[tuple[Any, ...]]:
            cursor = await connection.execute(statement, parameters)
            return await cursor.fetchall() if cursor.description else []

        return await self.reading(run)

    async def ping(self, patience: float = 1.0) -> None:
        """Readiness: one trivial statement, tried for `patience` seconds. Raises `StoreDown`."""

        async def one(connection: Connection) -> None:
            await connection.execute("SELECT 1 FROM rooms LIMIT 1")

        await self.reading(one, patience)

    async def close(self) -> None:
        """Give the connections back to PostgreSQL."""
        await self._pool.close()


def _head(rows: list[tuple[Any, ...]]) -> Head:
    first = rows[0]
    grants = tuple(Grant(r[16], r[10], r[11], r[12], r[13], bytes(r[18])) for r in rows if r[16] is not None)
    return Head(
        id=first[0],
        code=first[1],
        state=first[2],
        scenario=first[3],
        version=first[4],
        hash=bytes(first[5]),
        open=tuple(OpenRow(**row) for row in first[6]),
        bot_key=bytes(first[7]),
        clock=clock_seconds(first[8]),
        lobby=first[9],
        grants=grants,
        done_version=first[14],
        outcome=None if first[15] is None else msgspec.json.format(first[15].encode(), indent=-1),
        asked=bytes(first[17] or b""),
    )


def clock_seconds(clock: Any) -> dict[str, float]:
    """Seconds for each clock class of a room's settings; empty when the room has no clock."""
    return dict(clock["seconds"]) if clock else {}
