"""Projection while the store is away, when a commit cannot be folded, and with more rooms than it keeps."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from msgspec import Raw

from services.projection import rooms
from services.projection.service import Projection
from services.projection.shares import Shares
from services.projection.store import StoredCommit, StoredRoom
from services.rules.newgame import begin
from shared.dune.events import encode_event
from shared.dune.settings import Settings
from shared.ops.database import StoreLost
from shared.wire import subjects
from shared.wire.consumer import Delivery, Later
from shared.wire.errors import BusTimeout, NoResponders
from shared.wire.messages import Commit, NoView, Reached, ReplicaHere, View, ViewRequest, Watching
from tests.service.recorded import array

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
        return StoredRoom(1, None, array(self.events), self.checkpoint, [])

    async def commits(self, room: str, after: int, upto: int) -> list[StoredCommit]:
        return []


class Ear:
    """A bus that remembers what was published."""

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.followed: set[str] = set()
        self.asked: list[str] = []
        self.answer: Any = NoResponders("nobody")

    async def publish(self, subject: str, message: object) -> None:
        self.heard.append(message)

    async def subscribe(self, subject: str, kind: object, handler: object) -> str:
        self.followed.add(subject)
        return subject

    async def unsubscribe(self, subscription: str) -> None:
        self.followed.discard(subscription)

    async def request(self, subject: str, message: object, reply: object, timeout: float) -> Any:
        self.asked.append(subject)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
def shares() -> Shares:
    """This replica is new: beside any other it has no rooms yet."""
    return Shares("here")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of projection, which a test moves on."""
    now = [1000.0]
    monkeypatch.setattr(rooms, "time", SimpleNamespace(monotonic=lambda: now[0], time=time.time))
    return now


@pytest.fixture
def projection(ear: Ear, shelf: Shelf, shares: Shares) -> Projection:
    return Projection(ear, shelf, 2, shares)  # type: ignore[arg-type]


async def test_without_the_store_there_is_no_view_and_no_failure(
    projection: Projection, shelf: Shelf
) -> None:
    shelf.away = True
    assert isinstance(await projection.view(ViewRequest(ROOM, "guild")), NoView)
    commit = Commit(ROOM, 1, [Raw(event) for event in shelf.events], Raw(shelf.checkpoint))
    await projection.watching("", Watching(ROOM, ["guild"], 60))
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
        await projection.watching("", Watching(f"{number:032x}", ["guild"], -1))
    await projection.watching("", watched())
    await projection.tend()
    assert set(projection._watched) == {ROOM}


async def test_a_room_that_nobody_wants_is_not_held(
    projection: Projection, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of games that are over, and tables that were left, nothing stays in memory; whoever comes back sees all."""
    before = await projection.view(ViewRequest(ROOM, "guild"))
    await projection.watching("", watched(5.0))
    monkeypatch.setattr("services.projection.rooms.ASKED_SECONDS", 0.0)
    await projection.tend()
    assert set(projection._hot) == {ROOM}, "somebody watches"
    clock[0] += 5.1
    await projection.tend()
    assert not projection._hot
    assert await projection.view(ViewRequest(ROOM, "guild")) == before


def watched(seconds: float = 60.0) -> Watching:
    """Somebody watches the room."""
    return Watching(ROOM, ["guild", "spectator"], seconds)


def second_commit(shelf: Shelf) -> Commit:
    """A commit that shows everybody something."""
    saved = msgspec.json.decode(shelf.checkpoint)
    saved["sequences"] = {who: number + 1 for who, number in saved["sequences"].items()}
    return Commit(ROOM, 2, [Raw(b'{"event":"TurnBegan","turn":9}')], Raw(msgspec.json.encode(saved)))


async def test_a_room_of_another_replica_is_left_to_it(
    projection: Projection, shelf: Shelf, ear: Ear
) -> None:
    await projection.here("", ReplicaHere("other"))
    await projection.watching("", watched())
    ear.answer = Reached(ROOM, 2)
    await projection.committed(second_commit(shelf), DELIVERY)
    assert ear.asked == [subjects.projection_at("other", "reach")]
    assert not ear.followed
    assert not ear.heard
    ear.answer = NoView("from there")
    assert await projection.view(ViewRequest(ROOM, "guild")) == NoView("from there")


@pytest.mark.parametrize("fault", [NoResponders("nobody"), BusTimeout("too late")])
async def test_a_replica_that_does_not_answer_is_stood_in_for(
    projection: Projection, shelf: Shelf, ear: Ear, fault: Exception
) -> None:
    """Whoever was killed cannot be asked, whoever is frozen does not answer: the commit is shown all the same."""
    await projection.here("", ReplicaHere("other"))
    await projection.watching("", watched())
    ear.answer = fault
    await projection.committed(second_commit(shelf), DELIVERY)
    assert {change.audience for change in ear.heard} == {"guild", "spectator"}
    assert isinstance(await projection.view(ViewRequest(ROOM, "guild")), View)


async def test_a_replica_that_does_not_know_yet_who_watches_is_stood_in_for(
    projection: Projection, shelf: Shelf, ear: Ear
) -> None:
    assert await projection.reach(Reached(ROOM, 2)) == Reached(ROOM, 0)
    await projection.here("", ReplicaHere("other"))
    await projection.watching("", watched())
    ear.answer = Reached(ROOM, 0)
    await projection.committed(second_commit(shelf), DELIVERY)
    assert {change.audience for change in ear.heard} == {"guild", "spectator"}


async def test_rooms_go_over_when_a_replica_leaves_or_comes(projection: Projection, ear: Ear) -> None:
    await projection.here("", ReplicaHere("other"))
    await projection.watching("", watched())
    assert not ear.followed
    await projection.here("", ReplicaHere("other", gone=True))
    assert ear.followed == {subjects.commit(ROOM)}
    await projection.here("", ReplicaHere("other"))
    assert not ear.followed, "new beside another, this one has no rooms"


async def test_a_room_is_followed_while_somebody_watches_or_asks(
    projection: Projection, ear: Ear, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    await projection.watching("", watched(5.0))
    assert ear.followed == {subjects.commit(ROOM)}
    await projection.view(ViewRequest(ROOM, "guild"))
    clock[0] += 5.1
    await projection.tend()
    assert ear.followed, "its view was asked for lately"
    monkeypatch.setattr("services.projection.rooms.ASKED_SECONDS", 0.0)
    await projection.tend()
    assert not ear.followed


async def test_what_was_missed_is_made_up_for_when_another_replica_says_so(
    projection: Projection, shelf: Shelf, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = second_commit(shelf)

    async def commits(room: str, after: int, upto: int) -> list[StoredCommit]:
        stored = StoredCommit(2, [bytes(event) for event in commit.events], bytes(commit.checkpoint))
        return [stored] if after < 2 <= upto else []

    monkeypatch.setattr(shelf, "commits", commits)
    await projection.watching("", watched())
    assert await projection.reach(Reached(ROOM, 2)) == Reached(ROOM, 2)
    assert {change.audience for change in ear.heard} == {"guild", "spectator"}
    await projection.woken("", commit)
    await projection.reach(Reached(ROOM, 2))
    assert len(ear.heard) == 2, "and once only"
