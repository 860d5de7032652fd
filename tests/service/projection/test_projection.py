"""Projection over the bus: what it publishes adds up to the whole view, however its hints come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest

from services.projection import service, shares
from services.projection.rooms import FILLED, Projection
from services.projection.service import ProjectionSettings, serve
from services.room.changes import asked_for
from services.room.store.lobby import Lobbies
from services.room.store.store import Store
from shared.dune.events import decode_event, visible
from shared.ops.database import Pool
from shared.wire import streams, subjects
from shared.wire.client import Bus
from shared.wire.messages import NoView, View, ViewChanged, ViewRequest
from tests.service.projection.rooms import ALL, PLAYED, Room
from tests.service.recorded import SEATS, as_stored, record, running
from tests.waiting import PATIENCE, until


@pytest.fixture
async def bus(nats_url: str) -> AsyncIterator[Bus]:
    bus = await Bus.connect(nats_url, "test")
    await bus.ensure_stream(streams.COMMITS)
    yield bus
    await bus.drain()


@pytest.fixture(autouse=True)
def replicas(monkeypatch: pytest.MonkeyPatch) -> list[Projection]:
    """The replicas that are there. On a busy machine none of them is taken for dead because it was slow."""
    there: list[Projection] = []

    class Known(Projection):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            there.append(self)

        async def leave(self) -> None:
            there.remove(self)
            await super().leave()

    monkeypatch.setattr(service, "Projection", Known)
    monkeypatch.setattr("services.projection.rooms.OTHER_SECONDS", PATIENCE)
    monkeypatch.setattr(shares, "SILENT_SECONDS", PATIENCE)
    return there


@pytest.fixture
async def make_room(
    bus: Bus, database_url: str, replicas: list[Projection]
) -> AsyncIterator[Callable[..., Awaitable[Room]]]:
    """Make a room whose game is recorded."""
    store, lobbies = Store(Pool(database_url, 2)), Lobbies(database_url)

    async def make(seed: int = 1, scenario: bool = False, decisions: int = PLAYED) -> Room:
        settings = {"seats": len(SEATS), "mode": "basic"}
        async with lobbies.making("Recorded", settings, "base-1", asked_for(""), scenario=scenario) as made:
            room = made.room.id
        return Room(bus, store, record(decisions, seed, room=room), replicas)

    yield make
    await store.close()
    await lobbies.close()


@pytest.fixture
async def replica(nats_url: str, database_url: str) -> AsyncIterator[Callable[..., Awaitable[None]]]:
    """Start a projection replica in this process; it leaves with the test, or with a stack of the test's own."""
    async with AsyncExitStack() as stack:

        async def start(until: AsyncExitStack = stack, **options: Any) -> None:
            settings = ProjectionSettings(nats_url=nats_url, database_url=database_url, **options)
            await until.enter_async_context(running(serve, settings))

        yield start


async def test_the_changes_add_up_to_the_whole_view(make_room: Any, replica: Any) -> None:
    await replica()
    room = await make_room()
    await room.store_up_to(1)
    start = {audience: await room.whole(audience) for audience in ALL}
    await room.watch(*ALL)
    await room.play_to(PLAYED // 2)
    await room.caught_up(*ALL)
    for audience in ALL:
        assert room.folded(start[audience]) == room.truth(audience)
    await room.play_to(room.game.version)
    await room.caught_up(*ALL)
    for audience in ALL:
        whole = await room.whole(audience)
        assert (whole.seq, whole.audience, whole.room) == (room.seq(audience), audience, room.game.room.hex)
        assert msgspec.json.decode(whole.view) == room.truth(audience) == room.folded(start[audience])
    told = {audience: len(room.heard[audience]) for audience in ALL}
    assert min(told.values()) > 20
    assert len(set(told.values())) > 1, "secret commits move some sequences only"


def plain(value: object) -> Any:
    """A value as the JSON that it becomes."""
    return msgspec.json.decode(msgspec.json.encode(value))


def visible_parts(events: list[bytes], audience: str) -> list[Any]:
    """What an audience may see of a commit, as JSON."""
    parts = [part for body in events if (part := visible(decode_event(body), audience)) is not None]
    return list(plain(parts))


async def test_each_audience_reads_its_own_part_of_events(make_room: Any, replica: Any) -> None:
    await replica()
    room = await make_room()
    await room.store_up_to(1)
    await room.watch(*ALL)
    for audience in ALL:
        await room.whole(audience)
    await room.play_to(room.game.version)
    await room.caught_up(*ALL)
    for audience in ALL:
        parts = [visible_parts(events, audience) for events in room.game.events]
        told = [msgspec.json.decode(line) for change in room.heard[audience] for line in change.events]
        assert told == [part for commit in parts[1:] for part in commit]
        log = [msgspec.json.decode(line) for line in (await room.whole(audience)).log]
        everything = [part for commit in parts for part in commit]
        assert log
        assert log == everything[-len(log) :]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_event_reads_alike_live_and_from_the_store(seed: int) -> None:
    """What comes with the wake-up and what fills a gap must not differ in a word."""
    for events in record(500, seed, (*SEATS, "emperor")).events:
        for event in events:
            for audience in ALL:
                live = visible(decode_event(event), audience)
                assert live == visible(decode_event(as_stored(event)), audience)


async def test_a_gap_is_filled_from_the_store(make_room: Any, replica: Any) -> None:
    await replica()
    room = await make_room()
    await room.store_up_to(3)
    start = await room.whole("guild")
    await room.watch("guild")
    await room.store_up_to(40)
    await room.tell(40)
    await room.caught_up("guild")
    assert room.folded(start) == room.truth("guild")


async def test_what_comes_twice_or_late_changes_nothing(make_room: Any, replica: Any) -> None:
    await replica()
    room = await make_room()
    await room.store_up_to(1)
    start = await room.whole("guild")
    await room.watch("guild")
    await room.play_to(20)
    await room.caught_up("guild")
    before = list(room.heard["guild"])
    for version in (20, 5, 19, 1, 20):
        await room.tell(version, again=f":again{version}")
    await room.play_to(25)
    await room.caught_up("guild")
    assert room.heard["guild"][: len(before)] == before
    numbers = [change.seq for change in room.heard["guild"]]
    assert numbers == sorted(set(numbers))
    assert room.folded(start) == room.truth("guild")


async def test_a_version_that_is_not_there_is_not_made_up(make_room: Any, replica: Any) -> None:
    await replica()
    room = await make_room()
    await room.store_up_to(5)
    for _ in ("cold", "hot"):
        assert isinstance(await room.ask("guild", 9), NoView)
        assert (await room.whole("guild", 5)).seq == room.seq("guild", 5)
    await room.store_up_to(9)
    assert (await room.whole("guild", 9)).seq == room.seq("guild", 9)


async def test_only_what_somebody_watches_is_published(make_room: Any, replica: Any) -> None:
    await replica()
    watched, other = await make_room(), await make_room(2)
    await watched.store_up_to(1)
    await watched.watch("guild", "nobody_at_all")
    await other.watch("guild", seconds=-1)
    await watched.play_to(30)
    await other.play_to(30)
    await watched.caught_up("guild")
    await watched.worked_off()
    assert {audience for audience, heard in watched.heard.items() if heard} == {"guild"}
    assert {audience for audience, heard in other.heard.items() if heard} == set()
    # Who begins to watch now is shown everything from here on.
    start = await other.whole("harkonnen")
    await other.watch("harkonnen")
    await other.play_to(40)
    await other.caught_up("harkonnen")
    assert other.folded(start) == other.truth("harkonnen")


async def test_nobody_is_shown_what_is_not_theirs_to_ask(make_room: Any, replica: Any) -> None:
    await replica()
    room, scenario = await make_room(decisions=5), await make_room(decisions=5, scenario=True)
    assert isinstance(await room.ask("guild"), NoView), "the game has not begun"
    await room.store_up_to(3)
    await scenario.store_up_to(3)
    for audience in ("fremen", "table", "replay", "", "guild.x"):
        assert isinstance(await room.ask(audience), NoView), audience
    truth = await scenario.whole("table")
    assert msgspec.json.decode(truth.view) == plain(scenario.game.game(3).table)
    unknown = Room(room.bus, room.store, record(0), [])
    assert isinstance(await unknown.ask("guild"), NoView)
    nonsense = ViewRequest("no-uuid", "guild", 0)
    reply = await room.bus.request(subjects.PROJECTION_VIEW, nonsense, View | NoView, PATIENCE)
    assert isinstance(reply, NoView)


async def test_a_cold_room_is_taken_up_from_a_snapshot(make_room: Any, replica: Any) -> None:
    await replica(hot_rooms=1)
    room, other = await make_room(), await make_room(2)
    await room.store_up_to(60)
    await other.store_up_to(2)
    table = msgspec.json.encode(room.game.game(50).table)
    await room.store.write(
        "INSERT INTO snapshots (room, version, body) VALUES (%s, 50, %s)", (room.game.room, table)
    )
    first = await room.whole("guild")
    assert msgspec.json.decode(first.view) == room.truth("guild")
    # Another room takes its place; it is made anew with the same log.
    assert (await other.whole("guild")).seq == other.seq("guild")
    again = await room.whole("guild")
    assert (again.view, again.log) == (first.view, first.log)


async def test_two_replicas_share_the_work_and_say_the_same(make_room: Any, replica: Any) -> None:
    await replica()
    await replica()
    rooms = [await make_room(seed) for seed in (1, 2, 3)]
    for room in rooms:
        await room.store_up_to(1)
        await room.watch(*ALL)
    starts = [{audience: await room.whole(audience) for audience in ALL} for room in rooms]
    for version in range(2, 61):
        await asyncio.gather(*(room.play_to(version) for room in rooms))
    for room, start in zip(rooms, starts, strict=True):
        for audience in ALL:
            await until(lambda r=room, a=audience: max(c.seq for c in r.heard[a]) == r.seq(a))
            by_number: dict[int, ViewChanged] = {}
            for change in room.heard[audience]:
                same = by_number.setdefault(change.seq, change)
                assert plain(same) == plain(change)
            room.heard[audience] = [by_number[number] for number in sorted(by_number)]
            assert room.folded(start[audience]) == room.truth(audience)


async def test_each_room_is_folded_by_one_replica(
    make_room: Any, replica: Any, replicas: list[Projection], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each change is published once, by the wake-up alone; when a replica leaves, the other goes on."""
    monkeypatch.setattr(shares, "ALONE_SECONDS", 0.1)
    monkeypatch.setattr(shares, "JOIN_SECONDS", 0.4)
    monkeypatch.setattr("services.projection.rooms.BEAT_SECONDS", 0.1)
    played = [await make_room(seed) for seed in (1, 2, 3, 4)]
    async with AsyncExitStack() as leaving:
        await replica()
        await replica(leaving)
        await until(
            lambda: all(one._shares.takes_part() and one._shares._others for one in replicas), "a share"
        )
        for room in played:
            await room.store_up_to(1)
            await room.watch(*ALL)
        starts = [{audience: await room.whole(audience) for audience in ALL} for room in played]
        filled = FILLED._value.get()  # type: ignore[attr-defined]
        await asyncio.gather(*(room.play_to(40) for room in played))
        for room in played:
            await room.caught_up(*ALL)
        assert FILLED._value.get() == filled, "no replica lacks what another was handed"  # type: ignore[attr-defined]
        for room in played:
            for audience in ALL:
                numbers = [change.seq for change in room.heard[audience]]
                assert numbers == sorted(set(numbers)), "published once"
    await asyncio.gather(*(room.play_to(60) for room in played))
    for room, start in zip(played, starts, strict=True):
        await room.caught_up(*ALL)
        for audience in ALL:
            assert room.folded(start[audience]) == room.truth(audience)
