"""What a replica remembers of rooms: bounded, by id and by code, and never more than what it was shown."""

from __future__ import annotations

from uuid import UUID

import pytest

from services.room import heads
from services.room.heads import Heads
from services.room.store.append import NewCommit
from services.room.store.store import Grant, Head

COMMAND = UUID(int=9)


def grant(number: int) -> Grant:
    return Grant(UUID(int=number), number, "seat:play", "person", "guild", bytes([number]))


def head(number: int, version: int = 1, *grants: Grant, state: str = "running") -> Head:
    return Head(
        UUID(int=number), f"ROOM{number}", state, False, version, b"", (), b"", {}, 0, grants, None, None, b""
    )


def test_a_room_is_known_by_id_and_code_with_the_tokens_that_were_seen() -> None:
    kept = Heads()
    kept.learn(head(1, 3, grant(1), grant(2)))
    for name in (UUID(int=1), "ROOM1"):
        found = kept.recall(name, (bytes([2]),))
        assert found is not None
        assert (found.version, found.grants, found.certain) == (3, (grant(2),), False)
        assert kept.recall(name, (bytes([2]), bytes([7]))) is None, "one of the tokens is new here"
    bare = kept.recall("ROOM1")
    assert bare is not None
    assert bare.grants == (), "whoever shows no token has none"
    assert kept.recall("ROOM2") is None


def test_what_is_older_changes_nothing_and_what_is_newer_makes_it_forgotten() -> None:
    kept = Heads()
    kept.learn(head(1, 5))
    kept.learn(head(1, 4))
    kept.outdated(UUID(int=1), 5)
    known = kept.recall("ROOM1")
    assert known is not None
    assert known.version == 5
    kept.outdated(UUID(int=1), 6)
    assert kept.recall("ROOM1") is None
    assert kept.recall(UUID(int=1)) is None


def test_a_commit_moves_the_head_and_its_command_is_looked_up_when_it_comes_again() -> None:
    kept = Heads()
    before = head(1, 5, grant(1))
    kept.learn(before)
    commit = NewCommit(before.id, 5, COMMAND, "guild", [], b"{}", b"")
    kept.advance(before, commit)
    after = kept.recall("ROOM1", (bytes([1]),), UUID(int=8))
    assert after is not None
    assert (after.version, after.hash, after.grants) == (6, commit.hash, (grant(1),))
    assert kept.recall("ROOM1", (bytes([1]),), COMMAND) is None
    assert kept.newest(before).version == 6
    kept.advance(after, NewCommit(before.id, 6, UUID(int=7), "guild", [], b"{}", b"", finished=True))
    assert kept.recall("ROOM1") is None, "a game that is over is not remembered"


def test_the_least_used_room_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "ROOMS_REMEMBERED", 3)
    kept = Heads()
    for number in (1, 2, 3):
        kept.learn(head(number))
    assert kept.recall("ROOM1") is not None
    kept.learn(head(4))
    assert [kept.recall(f"ROOM{number}") is not None for number in (1, 2, 3, 4)] == [True, False, True, True]
    kept.learn(head(3, state="finished"))
    assert kept.recall("ROOM3") is None
    assert len(kept._codes) == len(kept._rooms) == 2
