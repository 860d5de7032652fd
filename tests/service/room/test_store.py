"""The store by itself: migrations, the model classes, the chain, and that the census finds whatever is altered."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from services.room.ids import uuid7
from services.room.migrate import NewerError, main, migrate
from services.room.store.append import NewCommit, OpenRow, append
from services.room.store.tables import GENESIS, SQLModel
from services.verifier.store.census import verify_store
from shared.ops.database import sqlalchemy_url
from shared.wire.chain import canonical, link


def test_migrating_is_idempotent_and_undone(empty_database_url: str) -> None:
    migrate(empty_database_url)
    migrate(empty_database_url)
    with psycopg.connect(empty_database_url) as connection:
        tables = {
            row[0]
            for row in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        }
    assert {"rooms", "seats", "tokens", "changes", "events", "commits", "snapshots", "deadlines"} <= tables


def test_how_far_games_were_is_taken_over(empty_database_url: str) -> None:
    """From the table that projection kept it in, into the rooms' own rows."""
    migrate(empty_database_url, "0003")
    played, waiting = uuid7(), uuid7()
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        for room in (played, waiting):
            connection.execute(
                "INSERT INTO rooms (id, code, name, state, scenario, settings, ruleset, lobby, version, hash, open, "
                "bot_key, bot_waits, published, settled, finished, asked_at, created_at, updated_at) VALUES "
                "(%s, %s, 'x', 'lobby', false, '{}', 'r', 0, 0, '', '[]', '', false, 0, true, false, "
                "now(), now(), now())",
                (room, room.hex[-6:]),
            )
        connection.execute(
            "INSERT INTO room_progress (room, version, turn, phase) VALUES (%s, 9, 3, 'battle')", (played,)
        )
        migrate(empty_database_url)
        told = dict(connection.execute("SELECT id, (turn, phase)::text FROM rooms").fetchall())
        assert told == {played: "(3,battle)", waiting: '(0,"")'}


def test_the_command_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SIETCH_DATABASE_URL", raising=False)
    assert main() == 2
    assert "SIETCH_DATABASE_URL" in capsys.readouterr().err
    monkeypatch.setenv("SIETCH_DATABASE_URL", "postgresql://nobody:hush@127.0.0.1:1/none")
    assert main() == 1
    told = capsys.readouterr().err
    assert "cannot be reached" in told
    assert "hush" not in told


def test_the_store_of_a_newer_version_is_left_alone_and_the_command_says_what_to_do(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    migrate(empty_database_url)
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    monkeypatch.setenv("SIETCH_DATABASE_URL", empty_database_url)
    assert main() == 1
    (told,) = capsys.readouterr().err.splitlines()
    assert "the schema 9999 of a newer version" in told
    assert "restore a backup" in told
    with pytest.raises(NewerError, match="9999"):
        migrate(empty_database_url, "0001")


def test_snapshots_of_another_language_are_forgotten_and_staged_tables_are_not(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upgrade that folds events otherwise would else go on from tables that nobody could make of them any more."""
    migrate(empty_database_url)
    played, staged = uuid7(), uuid7()
    with psycopg.connect(empty_database_url, autocommit=True) as connection:

        def kept() -> set[UUID]:
            return {room for (room,) in connection.execute("SELECT room FROM snapshots").fetchall()}

        for room, scenario in ((played, False), (staged, True)):
            connection.execute(
                "INSERT INTO rooms (id, code, name, state, scenario, settings, ruleset, lobby, version, hash, open, "
                "bot_key, bot_waits, published, settled, finished, asked_at, created_at, updated_at) VALUES "
                "(%s, %s, 'x', 'running', %s, '{}', 'r', 0, 0, '', '[]', '', false, 0, true, false, "
                "now(), now(), now())",
                (room, room.hex[-6:], scenario),
            )
            connection.execute("INSERT INTO snapshots (room, version, body) VALUES (%s, 50, '{}')", (room,))
        migrate(empty_database_url)
        assert kept() == {played, staged}, "the same language is spoken"
        monkeypatch.setattr("services.room.migrate.language", lambda: "another")
        migrate(empty_database_url)
        assert kept() == {staged}
        connection.execute("INSERT INTO snapshots (room, version, body) VALUES (%s, 100, '{}')", (played,))
        migrate(empty_database_url)
        assert kept() == {played, staged}


def test_model_classes_are_what_the_migrations_made(database_url: str) -> None:
    cold = {"rooms", "seats", "tokens", "changes"}

    def cold_only(thing: Any, name: str | None, kind: str, _: bool, __: Any) -> bool:
        if kind == "table":
            return name in cold
        return kind == "column"

    engine = create_engine(sqlalchemy_url(database_url))
    with engine.connect() as connection:
        options = {"compare_type": True, "include_object": cold_only}
        found = compare_metadata(MigrationContext.configure(connection, opts=options), SQLModel.metadata)
    engine.dispose()
    assert found == []


def test_room_ids_are_version_7_and_ordered_by_time() -> None:
    ids = [uuid7() for _ in range(100)]
    assert all(found.version == 7 and found.variant == "specified in RFC 4122" for found in ids)
    assert [found.bytes[:6] for found in ids] == sorted(found.bytes[:6] for found in ids)


def test_canonical_json_ignores_order_and_space() -> None:
    assert (
        canonical(b'{ "b": 1,\n "a": {"d": "\\u00fc", "c": []} }') == '{"a":{"c":[],"d":"ü"},"b":1}'.encode()
    )
    room, command = uuid4(), uuid4()
    one = link(GENESIS, room, 1, command, [b"1", b"23"], b"4")
    assert one != link(GENESIS, room, 1, command, [b"12", b"3"], b"4")
    assert one != link(GENESIS, room, 1, command, [b"1"], b"234")


async def _filled(database_url: str) -> UUID:
    """A room of six commits made by the append itself."""
    room = uuid7()
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
        await connection.execute(
            "INSERT INTO rooms (id, code, name, state, scenario, settings, ruleset, lobby, version, hash, open, "
            "bot_key, bot_waits, published, settled, finished, asked_at, created_at, updated_at) VALUES "
            "(%s, 'AAAAAA', 'x', 'lobby', false, '{}', 'r', 0, 0, %s, '[]', '', false, 0, true, false, "
            "now(), now(), now())",
            (room, GENESIS),
        )
        tip = GENESIS
        for version in range(6):
            commit = NewCommit(
                room=room,
                expected=version,
                command_id=uuid4(),
                seat="fremen",
                events=[
                    b'{"event":"A","n":1.5}',
                    b'{"event": "B", "z": "\\u00e9\\u2028", "a": 123456789012345678901}',
                ],
                checkpoint=b'{"b":1, "a":2}',
                prev_hash=tip,
                open=[OpenRow("fremen", f"o{version}", "k", "turn", 60.0)],
                clocked=True,
            )
            assert await append(connection, commit) == version + 1
            assert await append(connection, commit) is None
            tip = commit.hash
        rows = await (await connection.execute("SELECT offer, opened FROM deadlines")).fetchall()
        assert rows == [("o5", 6)]
    return room


async def test_what_append_wrote_is_without_fault(database_url: str) -> None:
    await _filled(database_url)
    census = verify_store(database_url)
    assert (census.rooms, census.commits, census.events, census.faults) == (1, 6, 12, [])


DAMAGE = [
    ("DELETE FROM commits WHERE version = 3", {0, 4}),
    ("DELETE FROM commits WHERE version = 6", {0}),
    ("DELETE FROM events WHERE version = 2 AND index = 1", {2}),
    ("DELETE FROM events WHERE version = 2", {2}),
    ("UPDATE events SET body = jsonb_set(body, '{n}', '2') WHERE version = 5 AND index = 0", {5}),
    ("UPDATE events SET index = 7 WHERE version = 1 AND index = 1", {1}),
    ("UPDATE commits SET checkpoint = '{}' WHERE version = 4", {4}),
    ("UPDATE commits SET command_id = gen_random_uuid() WHERE version = 4", {4}),
    ("UPDATE commits SET hash = sha256('x') WHERE version = 6", {0, 6}),
    ("UPDATE commits SET prev_hash = sha256('x') WHERE version = 2", {2}),
    ("UPDATE commits SET finished = true WHERE version = 3", {4}),
    ("UPDATE rooms SET version = 7", {0}),
    ("UPDATE rooms SET hash = sha256('x')", {0}),
    ("UPDATE rooms SET state = 'lobby'", {0}),
    ("UPDATE rooms SET finished = true", {0}),
    ("INSERT INTO events SELECT gen_random_uuid(), 1, 0, '', '{}'", {0}),
    ("INSERT INTO snapshots (room, version, body) SELECT id, 99, '' FROM rooms", {0}),
]
TABLES = ("rooms", "commits", "events", "snapshots")


async def test_the_census_finds_damage(database_url: str) -> None:
    await _filled(database_url)
    with psycopg.connect(database_url, autocommit=True) as connection:
        for table in TABLES:
            connection.execute(f"CREATE TABLE kept_{table} AS TABLE {table}")
        for damage, versions in DAMAGE:
            connection.execute(damage)
            census = verify_store(database_url)
            assert {fault.version for fault in census.faults} == versions, (damage, census.faults)
            for table in TABLES:
                connection.execute(f"DELETE FROM {table}")
                connection.execute(f"INSERT INTO {table} TABLE kept_{table}")
    assert not verify_store(database_url).faults


async def test_the_fold_is_given_every_commit_and_the_snapshots(database_url: str) -> None:
    room = await _filled(database_url)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("INSERT INTO snapshots (room, version, body) VALUES (%s, 4, 'x')", (room,))
    seen: list[int] = []

    def fold(commits: Any, snapshots: dict[int, bytes]) -> list[tuple[int, str]]:
        assert snapshots == {4: b"x"}
        seen.extend(version for version, events, checkpoint in commits if len(events) == 2 and checkpoint)
        return [(4, "made up")]

    census = verify_store(database_url, fold)
    assert seen == [1, 2, 3, 4, 5, 6]
    assert [(fault.version, fault.text) for fault in census.faults] == [(4, "made up")]
