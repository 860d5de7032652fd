"""Rooms that stand in the middle of a game, put straight into the store: what hundreds of tables take to set up by
playing is there in a second.

Only what a service reads to take a room up is stored: its seats and tokens, its newest commit, and a snapshot there.
`sietch verify store` would miss the rest.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from uuid import UUID, uuid4

import msgspec
import psycopg

from services.room.ids import new_code, new_token, token_hash, uuid7
from services.room.store.append import OpenRow, open_json
from tests.bench.games import Played
from tests.property.players import CLASSIC

__all__ = ["Standing", "place"]

_ROOM = """
INSERT INTO rooms (id, code, name, state, scenario, settings, ruleset, lobby, version, hash, open, bot_key, bot_waits,
    published, settled, finished, asked_at, created_at, updated_at)
VALUES (%s, %s, 'bench', 'running', false, %s, 'gf9', 1, %s, %s, %s, ''::bytea, false, %s, false, false, now(), now(),
    now())"""
_COMMIT = """
INSERT INTO commits (room, version, command_id, asked, seat, outcome, checkpoint, events, finished, prev_hash, hash)
VALUES (%s, %s, %s, ''::bytea, '', '{"ok":true}', %s, 0, false, %s, %s)"""


class Standing(msgspec.Struct, frozen=True):
    """One room: its id, its code and version, and the token of each seat."""

    id: UUID
    code: str
    version: int
    tokens: dict[str, str]

    @property
    def path(self) -> str:
        """Where its routes are."""
        return f"/api/rooms/{self.code}"


def place(url: str, games: Iterable[tuple[int, Played]]) -> list[Standing]:
    """A room for each (version, game at that version)."""
    made: list[Standing] = []
    with psycopg.connect(url) as connection:
        cursor = connection.cursor()
        for version, played in games:
            room = Standing(uuid7(), new_code(), version, {seat: new_token() for seat in CLASSIC})
            made.append(room)
            _store(cursor, room, played)
    return made


def _store(cursor: psycopg.Cursor, room: Standing, played: Played) -> None:
    tip = secrets.token_bytes(32)
    asked = [OpenRow(o.seat, o.id, o.kind, o.clock) for o in played.game.open if o.committed is None]
    settings = json.dumps({"mode": "basic", "seats": len(CLASSIC), "last_turn": 10, "clock": None})
    version = room.version
    cursor.execute(_ROOM, (room.id, room.code, settings, version, tip, open_json(asked), version))
    cursor.execute(_COMMIT, (room.id, version, uuid4(), played.checkpoint, bytes(32), tip))
    cursor.execute(
        "INSERT INTO snapshots (room, version, body) VALUES (%s, %s, %s)",
        (room.id, version, msgspec.json.encode(played.game.table)),
    )
    cursor.executemany(
        "INSERT INTO seats (room, seat, kind, name, faction, position, ready) "
        "VALUES (%s, %s, 'person', %s, %s, %s, true)",
        [(room.id, number, seat, seat, number) for number, seat in enumerate(CLASSIC, 1)],
    )
    cursor.executemany(
        "INSERT INTO tokens (id, room, seat, scope, hash, created_at) VALUES (%s, %s, %s, 'seat:play', %s, now())",
        [(uuid4(), room.id, number, token_hash(room.tokens[seat])) for number, seat in enumerate(CLASSIC, 1)],
    )
