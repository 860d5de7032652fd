"""Rooms put straight into a store: played beforehand, appended as room appends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from uuid import UUID, uuid4

import msgspec
import psycopg

from services.room.ids import new_code, uuid7
from services.room.store.append import NewCommit, OpenRow
from services.room.store.store import Store
from services.room.store.tables import GENESIS
from tests.bench.games import Played

__all__ = ["append_game", "commits_of", "new_rooms"]

_ROOM = """
INSERT INTO rooms (id, code, name, state, scenario, settings, ruleset, lobby, version, hash, open, bot_key, bot_waits,
    published, settled, finished, asked_at, created_at, updated_at)
VALUES (%s, %s, 'bench', 'lobby', false, %s, 'gf9', 0, 0, %s, '[]', ''::bytea, false, 0, true, false, now(), now(),
    now())"""


def new_rooms(url: str, count: int) -> list[UUID]:
    """Rooms in their lobby, without seats. Returns their ids."""
    rooms = [uuid7() for _ in range(count)]
    settings = json.dumps({"clock": {}})
    with psycopg.connect(url) as connection:
        connection.cursor().executemany(_ROOM, [(room, new_code(), settings, GENESIS) for room in rooms])
    return rooms


def commits_of(room: UUID, game: Sequence[Played]) -> list[NewCommit]:
    """A played game as the commits that room would append."""
    commits: list[NewCommit] = []
    for number, played in enumerate(game):
        asked = [OpenRow(o.seat, o.id, o.kind, o.clock) for o in played.game.open if o.committed is None]
        commits.append(
            NewCommit(
                room=room,
                expected=number,
                command_id=uuid4(),
                seat="",
                events=played.events,
                checkpoint=played.checkpoint,
                prev_hash=commits[-1].hash if commits else GENESIS,
                open=asked,
                finished=played.game.table.result is not None,
            )
        )
    return commits


async def append_game(
    store: Store, room: UUID, game: Sequence[Played], snapshot_at: int = 0
) -> list[NewCommit]:
    """Append a played game to a room in its lobby, with a snapshot of a version if one is named."""
    commits = commits_of(room, game)
    for commit in commits:
        assert await store.append(commit) == commit.expected + 1
    if snapshot_at:
        body = msgspec.json.encode(game[snapshot_at - 1].game.table)
        await store.write(
            "INSERT INTO snapshots (room, version, body) VALUES (%s, %s, %s)", (room, snapshot_at, body)
        )
    return commits
