"""`sietch room`: from a room's code to the ref that logs have, and back; what its game waits for."""

from __future__ import annotations

from uuid import uuid4

import msgspec
import psycopg
from typer.testing import CliRunner

from services.cli.room import app
from services.room.store.tables import GENESIS
from services.rules.staging import stage
from shared.ops.refs import room_ref

_ROOM = """
INSERT INTO rooms (id, code, name, state, scenario, settings, ruleset, lobby, version, hash, open, bot_key, bot_waits,
    published, settled, finished, asked_at, created_at, updated_at)
VALUES (%s, %s, 'x', 'lobby', false, '{}', 'r', 0, 0, %s, '[]', '', false, 0, true, false, now(), now(), now())"""

_COMMIT = """
INSERT INTO commits (room, version, command_id, asked, seat, outcome, checkpoint, events, finished, prev_hash, hash)
VALUES (%s, 1, %s, '', '', '{}', %s, 0, false, '', '')"""


def test_there_and_back(database_url: str) -> None:
    rooms = {code: uuid4() for code in ("AAAAAA", "K7M2QX", "ZZZZZZ")}
    with psycopg.connect(database_url, autocommit=True) as connection:
        for code, id_ in rooms.items():
            connection.execute(_ROOM, (id_, code, GENESIS))
    run = CliRunner()
    told = run.invoke(app, ["ref", "k7m2qx", "--database-url", database_url])
    assert (told.exit_code, told.stdout) == (0, f"{room_ref(rooms['K7M2QX'])}\n")
    back = run.invoke(app, ["find", told.stdout.strip().upper(), "--database-url", database_url])
    assert (back.exit_code, back.stdout) == (0, "K7M2QX\n")


def test_what_is_not_there_is_said(database_url: str) -> None:
    run = CliRunner()
    for words in (["ref", "BBBBBB"], ["find", "aaaaaaaa"], ["progress", "BBBBBB"]):
        told = run.invoke(app, [*words, "--database-url", database_url])
        assert told.exit_code == 1
        assert words[1] in told.stderr
    away = run.invoke(app, ["ref", "BBBBBB", "--database-url", "postgresql://u:secret@127.0.0.1:1/none"])
    assert away.exit_code == 1
    assert "cannot be read" in away.stderr
    assert "secret" not in away.stderr


def test_what_a_game_waits_for(database_url: str) -> None:
    """Of a room that has begun; of a lobby it is said who is missing there."""
    run, id_ = CliRunner(), uuid4()
    game = stage({"seats": ["atreides", "fremen"], "phase": "storm", "storm": 9}).game
    checkpoint = msgspec.json.encode(game.checkpoint(), order="sorted")
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(_ROOM, (id_, "WAAAIT", GENESIS))
        for number, (kind, ready) in enumerate([("person", False), ("bot", True), ("open", False)]):
            connection.execute(
                "INSERT INTO seats (room, seat, kind, name, ready) VALUES (%s, %s, %s, 'x', %s)",
                (id_, number + 1, kind, ready),
            )
        before = run.invoke(app, ["progress", "WAAAIT", "--database-url", database_url])
        assert (before.exit_code, before.stdout) == (
            0,
            "WAAAIT: its game has not begun; 2 of 3 seats taken, 1 not ready\n",
        )
        plain = run.invoke(app, ["progress", "WAAAIT", "--json", "--database-url", database_url])
        assert msgspec.json.decode(plain.stdout) == {
            "version": 0,
            "lobby": {"seats": 3, "taken": 2, "not_ready": 1},
        }
        connection.execute("UPDATE rooms SET version = 1, turn = 2, phase = 'storm' WHERE id = %s", (id_,))
        connection.execute(_COMMIT, (id_, uuid4(), checkpoint))
    told = run.invoke(app, ["progress", "waaait", "--database-url", database_url])
    assert told.stdout.splitlines() == [
        "WAAAIT at version 1: turn 2, storm",
        "storm_dial: asked atreides, fremen; 2 of 2 to come",
    ]
    plain = run.invoke(app, ["progress", "WAAAIT", "--json", "--database-url", database_url])
    assert msgspec.json.decode(plain.stdout)["pending"] == [
        {"kind": "storm_dial", "asked": ["atreides", "fremen"], "unfinished": 2}
    ]
