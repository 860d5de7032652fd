"""`sietch verify store`: what it prints, its exit status, and the fold by the game's own language."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec
import psycopg
import pytest
from typer.testing import CliRunner

from services.cli.verify import app
from services.rules.engine.game import Decision
from services.rules.engine.loader import load_rules
from services.rules.newgame import begin
from services.verifier.store.fold import fold
from shared.dune.events import encode_event
from shared.dune.settings import Settings

Rows = list[tuple[int, list[bytes], bytes]]


def first_commit() -> tuple[Rows, bytes]:
    """The first commit of a real game, and the snapshot that belongs to it."""
    load_rules()
    begun = begin(Settings(seats=("atreides", "harkonnen", "guild")), 7)
    assert isinstance(begun, Decision)
    events = [encode_event(event) for event in begun.events]
    return [(1, events, msgspec.json.encode(begun.game.checkpoint()))], msgspec.json.encode(begun.game.table)


def test_a_right_room_folds_and_a_wrong_one_says_where() -> None:
    rows, snapshot = first_commit()
    assert fold(iter(rows), {1: snapshot}) == []
    assert [version for version, _ in fold(iter(rows), {1: snapshot.replace(b'"turn":', b'"turn":1')})] == [1]
    version, events, checkpoint = rows[0]
    assert fold(iter([(version, events[1:], checkpoint)]), {})
    assert "cannot be folded" in fold(iter([(1, [b'{"event":"Nothing"}'], checkpoint)]), {})[0][1]
    assert "cannot be folded" in fold(iter([(1, events, b"{}")]), {})[0][1]
    stranger = b'{"event":"LeaderRevived","faction":"guild","leader":"stilgar","reason":"gift"}'
    assert "cannot be folded" in fold(iter([(1, [*events, stranger], checkpoint)]), {})[0][1]


def test_a_store_that_goes_away_is_no_fault_of_a_room() -> None:
    def lost() -> Iterator[tuple[int, list[bytes], bytes]]:
        yield from first_commit()[0]
        raise psycopg.OperationalError("the connection is lost")

    with pytest.raises(psycopg.OperationalError):
        fold(lost(), {})


def test_a_staged_room_begins_with_its_snapshot_and_still_counts() -> None:
    rows, snapshot = first_commit()
    assert fold(iter([]), {0: snapshot, 1: snapshot}) == []
    later = [(2, *rows[0][1:])]
    assert [version for version, _ in fold(iter(later), {0: snapshot})] == [2], "pieces are laid twice"
    lacking = msgspec.json.decode(snapshot)
    lacking["zones"].popitem()
    assert "census" in fold(iter([]), {0: msgspec.json.encode(lacking)})[0][1]


def test_the_command_prints_and_exits_by_what_it_found(database_url: str) -> None:
    run = CliRunner()
    nothing = run.invoke(app, ["store", "--database-url", database_url])
    assert (nothing.exit_code, "holds no room" in nothing.stderr) == (2, True)
    assert nothing.stdout.endswith("there was nothing to look at\n")
    new = run.invoke(app, ["store", "--database-url", database_url, "--may-be-empty"])
    assert (new.exit_code, new.stdout.startswith("0 rooms, 0 commits, 0 events")) == (0, True)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("INSERT INTO events VALUES (gen_random_uuid(), 1, 0, '', '{}')")
    bad = run.invoke(app, ["store", "--database-url", database_url, "--json"])
    assert bad.exit_code == 1
    found = json.loads(bad.stdout)
    assert found["faults"] == [
        {"room": "", "version": 0, "text": "1 rows of events belong to no commit or room"}
    ]
    gone = run.invoke(app, ["store", "--database-url", "postgresql://x:hush@127.0.0.1:1/x"])
    assert gone.exit_code == 2
    assert "cannot be read" in gone.stderr
    assert "hush" not in gone.stderr
