"""The append against a bare INSERT of the same rows: the same PostgreSQL, tables, kind of connection and sizes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from statistics import median
from uuid import UUID, uuid4

import msgspec

from services.room.store.append import NewCommit, OpenRow, append
from services.room.store.tables import GENESIS
from shared.ops.database import Pool
from tests.bench.bench import Bench
from tests.bench.games import Played, recorded
from tests.bench.model import Measure, Row, at_most, latency
from tests.bench.stored import new_rooms

__all__ = ["ROWS"]

EVENTS = 5
WRITERS = 16

BARE = """
WITH commit_row AS (
    INSERT INTO commits
        (room, version, command_id, asked, seat, outcome, checkpoint, events, finished, prev_hash, hash)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
)
INSERT INTO events (room, version, index, type, body) VALUES """ + ", ".join(
    ["(%s, %s, %s, %s, %s)"] * EVENTS
)


class Payload(msgspec.Struct, frozen=True):
    """What each commit holds: five real events, and a checkpoint and open offers of the usual size."""

    events: list[bytes]
    checkpoint: bytes
    open: list[OpenRow]

    @property
    def size(self) -> int:
        """Bytes of events and checkpoint."""
        return len(self.checkpoint) + sum(map(len, self.events))


def payload(game: list[Played]) -> Payload:
    """Of a recorded game: its commit with a checkpoint of median size, and events of about median size."""
    usual = sorted(game, key=lambda played: len(played.checkpoint))[len(game) // 2]
    bodies = sorted((body for played in game for body in played.events), key=len)
    middle = len(bodies) // 2
    asked = [OpenRow(o.seat, o.id, o.kind, o.clock) for o in usual.game.open if o.committed is None]
    return Payload(bodies[middle : middle + EVENTS], usual.checkpoint, asked)


class Bare:
    """One writer that inserts the rows and nothing else."""

    def __init__(self, pool: Pool, content: Payload) -> None:
        self._pool = pool
        self._room = uuid4()
        self._version = 0
        self._checkpoint = content.checkpoint
        self._events = [
            (index, msgspec.json.decode(body)["event"], body.decode())
            for index, body in enumerate(content.events)
        ]

    async def write(self) -> None:
        """One commit."""
        self._version += 1
        at = (self._room, self._version)
        rows = [value for event in self._events for value in (*at, *event)]
        head = (
            *at,
            uuid4(),
            bytes(16),
            "fremen",
            '{"ok":true}',
            self._checkpoint,
            EVENTS,
            False,
            GENESIS,
            GENESIS,
        )
        async with self._pool.connection() as connection:
            await connection.execute(BARE, (*head, *rows), prepare=True)


class Real:
    """One writer that appends as room does, from what rules decided: canonical events, hash chain, version, offers."""

    def __init__(self, pool: Pool, content: Payload, room: UUID) -> None:
        self._pool = pool
        self._content = content
        self._room = room
        self._version = 0
        self._tip = GENESIS

    async def write(self) -> None:
        """One commit."""
        commit = NewCommit(
            room=self._room,
            expected=self._version,
            command_id=uuid4(),
            seat="fremen",
            events=self._content.events,
            checkpoint=self._content.checkpoint,
            prev_hash=self._tip,
            asked=bytes(16),
            open=self._content.open,
        )
        async with self._pool.connection() as connection:
            assert await append(connection, commit) == self._version + 1
        self._version += 1
        self._tip = commit.hash


async def appending(bench: Bench) -> list[Measure]:
    """One writer's latency; sixteen writers' rate, each in a room of its own."""
    bench.tell("playing a game for real events")
    content = payload(recorded(300))
    url = bench.database()
    pool = Pool(url, WRITERS)
    rooms = new_rooms(url, WRITERS)
    bare = [Bare(pool, content) for _ in rooms]
    real = [Real(pool, content, room) for room in rooms]
    taken = await bench.interleaved(
        {"bare INSERT": bare[0].write, "append": real[0].write}, bench.number(3_000, 300)
    )
    seconds = 2.0 if not bench.quick else 0.5
    rates = await bench.alternating(
        {
            "16 bare writers": lambda: rate([one.write for one in bare], seconds),
            "16 appending writers": lambda: rate([one.write for one in real], seconds),
        },
        bench.number(8, 2),
    )
    await pool.close()
    note = f"{EVENTS} events, {content.size:,} bytes with the checkpoint"
    floor, product = median(rates["16 bare writers"]), median(rates["16 appending writers"])
    return [
        *latency(taken["bare INSERT"], taken["append"], name="1 writer", p50=at_most(1.2), note=note),
        Measure(
            "16 writers, one commit", "ms", 1000 / product, 1000 / floor, at_most(1.2),
            int(product * seconds * len(rates["16 bare writers"])), f"{product:,.0f} and bare {floor:,.0f} a second",
        ),
    ]  # fmt: skip


async def rate(writers: list[Callable[[], Awaitable[None]]], seconds: float) -> float:
    """Commits a second of all writers at once."""
    until = time.perf_counter() + seconds
    done = 0

    async def work(write: Callable[[], Awaitable[None]]) -> None:
        nonlocal done
        while time.perf_counter() < until:
            await write()
            done += 1

    started = time.perf_counter()
    await asyncio.gather(*(work(write) for write in writers))
    return done / (time.perf_counter() - started)


ROWS = (
    Row("append", "append of 5 events with their commit, 1 and 16 writers, against a bare INSERT", appending),
)
