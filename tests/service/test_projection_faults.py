"""Projection while the store is away, when a commit cannot be folded, and with more rooms than it keeps."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest
from msgspec import Raw

from services.projection.service import Projection
from services.projection.store import StoredCommit, StoredRoom
from services.rules.newgame import begin
from shared.dune.events import encode_event
from shared.dune.settings import Settings
from shared.ops.database import StoreLost
from shared.wire.consumer import Delivery, Later
from shared.wire.messages import Commit, NoView, View, ViewRequest, Watching

ROOM = "0" * 32
DELIVERY = Delivery("commit.x", 1)


class Shelf:
    """A store of one room with one commit; `away` makes it fail as a lost PostgreSQL does."""

    def __init__(self) -> None:
        decision = begin(Settings(seats=("atreides", "guild")), 7)
        assert hasattr(decision, "game")
        self.events = [encode_event(event) for event in decision.events]
        self.checkpoint = msgspec.json.encode(decision.game.checkpoint())
        self.away = False

    def _look(self) -> None:
        if self.away:
            raise StoreLost("gone")

    async def version(self, room: str) -> tuple[int, bool]:
        self._look()
        return 1, False

    async def take_up(self, room: str, version: int) -> StoredRoom:
        self._look()
        return StoredRoom(1, None, self.events, self.checkpoint, [])

    async def commits(self, room: str, after: int, upto: int) -> list[StoredCommit]:
        return []

    async def note(self, room: str, version: int, progress: object) -> None:
        self._look()


class Ear:
    """A bus that remembers what was published."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    async def publish(self, subject: str, message: object) -> None:
        self.heard.append(message)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def projection(shelf: Shelf) -> Projection:
    return Projection(Ear(), shelf, 2)  # type: ignore[arg-type]


async def test_without_the_store_there_is_no_view_and_no_failure(
    projection: Projection, shelf: Shelf
) -> None:
    shelf.away = True
    assert isinstance(await projection.view(ViewRequest(ROOM, "guild")), NoView)
    commit = Commit(ROOM, 1, [Raw(event) for event in shelf.events], Raw(shelf.checkpoint))
    await projection.watching("", Watching(ROOM, ["guild"], time.time() + 60))
    with pytest.raises(Later):
        await projection.committed(commit, DELIVERY)
    shelf.away = False
    await projection.committed(commit, DELIVERY)
    assert isinstance(await projection.view(ViewRequest(ROOM, "guild")), View)


async def test_a_commit_that_cannot_be_folded_leaves_no_half_table(
    projection: Projection, shelf: Shelf
) -> None:
    before = await projection.view(ViewRequest(ROOM, "guild"))
    unreadable = Commit(ROOM, 2, [Raw(b'{"event":"TurnBegan","turn":9}')], Raw(b"{}"))
    with pytest.raises(msgspec.ValidationError):
        await projection.committed(unreadable, DELIVERY)
    assert await projection.view(ViewRequest(ROOM, "guild")) == before


async def test_rooms_that_nobody_watches_any_more_are_forgotten(projection: Projection) -> None:
    for number in range(50):
        await projection.watching("", Watching(f"{number:032x}", ["guild"], time.time() - 1))
    assert len(projection._watched) <= 5
