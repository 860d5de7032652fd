"""`sietch room`: from a room's code to the ref that logs have, and back."""

from __future__ import annotations

from uuid import uuid4

import psycopg
from typer.testing import CliRunner

from services.cli.room import app
from services.room.store.tables import GENESIS
from shared.ops.refs import room_ref

_ROOM = """
INSERT INTO rooms (id, code, name, state, scenario, settings, ruleset, lobby, version, hash, open, bot_key, bot_waits,
    published, settled, finished, asked_at, created_at, updated_at)
VALUES (%s, %s, 'x', 'lobby', false, '{}', 'r', 0, 0, %s, '[]', '', false, 0, true, false, now(), now(), now())"""


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
    for words in (["ref", "BBBBBB"], ["find", "aaaaaaaa"]):
        told = run.invoke(app, [*words, "--database-url", database_url])
        assert told.exit_code == 1
        assert words[1] in told.stderr
    away = run.invoke(app, ["ref", "BBBBBB", "--database-url", "postgresql://u:secret@127.0.0.1:1/none"])
    assert away.exit_code == 1
    assert "cannot be read" in away.stderr
    assert "secret" not in away.stderr
