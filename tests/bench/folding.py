"""Folding what lies in the store: events a second, and taking up a cold room against reading its rows alone."""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

import psycopg
from msgspec import Raw

from services.projection import store as projection_store
from services.projection.hot import HotRoom
from services.room.store.store import Store
from services.rules import service as rules_service
from shared.dune.events import decode_event, evolve
from shared.dune.table import Table
from shared.ops.database import Pool
from shared.wire.messages import Load
from tests.bench.bench import Bench
from tests.bench.games import recorded
from tests.bench.model import Measure, Row, at_least, at_most, latency, quantile
from tests.bench.stored import append_game, new_rooms

__all__ = ["ROWS"]

COMMITS = 1_000
UPTO = 999
"""The version that is taken up: its newest snapshot lies as far behind as can be."""

SNAPSHOT = (
    "SELECT version, body FROM snapshots WHERE room = %s AND version <= %s ORDER BY version DESC LIMIT 1"
)
EVENTS = """
SELECT body::text FROM events WHERE room = %s AND version > %s AND version <= %s ORDER BY version, index"""
NEWEST = """
SELECT body::text FROM events WHERE room = %s AND version <= %s ORDER BY version DESC, index DESC LIMIT %s"""
CHECKPOINT = "SELECT checkpoint FROM commits WHERE room = %s AND version = %s"


async def folding(bench: Bench) -> list[Measure]:
    """JSON of events to a table, the bytes as PostgreSQL gives them back."""
    url, room = await _stored_room(bench)
    with psycopg.connect(url) as connection:
        bodies = [row[0].encode() for row in connection.execute(EVENTS, (room, 0, COMMITS))]
    expected = recorded(COMMITS)[-1].game.table
    rates: list[float] = []
    for number in range(bench.number(100, 10)):
        bench.tell(f"fold {number + 1}")
        started = time.process_time()
        table = Table()
        for body in bodies:
            table = evolve(table, decode_event(body))
        rates.append(len(bodies) / (time.process_time() - started))
        assert table == expected
    note = f"{len(bodies):,} events of {sum(map(len, bodies)) / len(bodies):.0f} bytes"
    return [
        Measure("events", "/s", quantile(rates, 0.5), None, at_least(150_000), len(rates) * len(bodies), note)
    ]


async def loading(bench: Bench) -> list[Measure]:
    """A cold room of 1,000 commits: from PostgreSQL to a table with its checkpoint, as rules and projection do it."""
    url, room = await _stored_room(bench)
    store = Store(Pool(url, 1))
    measures: list[Measure] = []
    pool = Pool(url, 1)
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as bare:
        reader = projection_store.Store(pool)
        for since, label in ((UPTO // 50 * 50, "with its snapshot"), (0, "from events alone")):
            if not since:
                await store.write("DELETE FROM snapshots WHERE room = %s", (room,))
            parts = {
                "floor rules": lambda since=since: _read(bare, room, since, 0),
                "rules": lambda: _rules(store, room),
                "floor projection": lambda since=since: _read(
                    bare, room, since, projection_store.RECENT_EVENTS
                ),
                "projection": lambda: _projection(reader, room),
            }
            samples = bench.number(400 if since else 100, 20)
            taken = await bench.interleaved(parts, samples, warm_up=8, block=5)
            for who in ("rules", "projection"):
                p50, _ = latency(taken[f"floor {who}"], taken[who], name=f"{who} {label}", p50=at_most(3.0))
                measures.append(p50)
    await pool.close()
    await store.close()
    return measures


async def _stored_room(bench: Bench) -> tuple[str, UUID]:
    bench.tell("playing a game of 1,000 commits")
    game = recorded(COMMITS)
    url = bench.database()
    room = new_rooms(url, 1)[0]
    bench.tell("storing it")
    store = Store(Pool(url, 1))
    await append_game(store, room, game, snapshot_at=UPTO // 50 * 50)
    await store.close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return url, room


async def _read(connection: psycopg.AsyncConnection[Any], room: UUID, since: int, recent: int) -> None:
    """The rows alone: what the load needs, fetched and dropped."""

    async def fetch(statement: str, *values: object) -> None:
        await (await connection.execute(statement, values, prepare=True)).fetchall()

    await fetch(SNAPSHOT, room, UPTO)
    await fetch(EVENTS, room, since, UPTO)
    if recent:
        await fetch(NEWEST, room, UPTO, recent)
    await fetch(CHECKPOINT, room, UPTO)


async def _rules(store: Store, room: UUID) -> None:
    table, events, checkpoint = await store.load(room, UPTO)
    saved = Load(None if table is None else Raw(table), Raw(events), Raw(checkpoint))
    assert rules_service._loaded(saved).table.turn


async def _projection(reader: projection_store.Store, room: UUID) -> None:
    hot = HotRoom(room.hex, await reader.take_up(room.hex, UPTO), False)
    assert hot.table.turn


ROWS = (
    Row("folding", "folding stored events", folding),
    Row("loading", "loading a room of 1,000 commits cold, against reading its rows alone", loading),
)
