"""Several replicas on one bus, without servers: each change is published once, and again only when one is lost."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from services.projection.patch import apply_patch
from services.projection.rooms import Projection
from services.projection.shares import JOIN_SECONDS, Shares
from services.projection.store import RECENT_EVENTS, StoredCommit, StoredRoom
from shared.dune.views import SPECTATOR, encode_view, view
from shared.wire import subjects
from shared.wire.consumer import Delivery
from shared.wire.errors import NoResponders
from shared.wire.messages import ReplicaHere, View, ViewChanged, ViewRequest, Watching
from tests.service.recorded import SEATS, Recorded, array, record

ALL = (*SEATS, SPECTATOR)
LENGTH = 60


class Wire:
    """A bus in this process: messages arrive at once, and whoever is cut off neither hears nor answers."""

    def __init__(self) -> None:
        self.listeners: dict[str, dict[str, Callable[[str, Any], Awaitable[None]]]] = {}
        self.replicas: dict[str, Projection] = {}
        self.changes: list[ViewChanged] = []

    async def say(self, subject: str, message: Any) -> None:
        if isinstance(message, ViewChanged):
            self.changes.append(message)
        for handler in list(self.listeners.get(subject, {}).values()):
            await handler(subject, message)


class Plug:
    """One replica's connection to the wire."""

    def __init__(self, wire: Wire, name: str) -> None:
        self.wire = wire
        self.name = name

    async def publish(self, subject: str, message: object) -> None:
        await self.wire.say(subject, message)

    async def subscribe(self, subject: str, kind: object, handler: Any) -> str:
        self.wire.listeners.setdefault(subject, {})[self.name] = handler
        return subject

    async def unsubscribe(self, subscription: str) -> None:
        self.wire.listeners[subscription].pop(self.name, None)

    async def request(self, subject: str, message: Any, reply: object, timeout: float) -> Any:
        _, _, name, verb = subject.split(".")
        if name not in self.wire.replicas:
            raise NoResponders(subject)
        other = self.wire.replicas[name]
        return await (other.own_view(message) if verb == "view" else other.reach(message))


class Shelf:
    """A store of recorded games, as far as they were played; counts what was read to fill a gap."""

    def __init__(self, games: list[Recorded]) -> None:
        self.games = {game.room.hex: game for game in games}
        self.stands = dict.fromkeys(self.games, 1)
        self.filled = 0

    async def version(self, room: str) -> tuple[int, bool]:
        return self.stands[room], False

    async def take_up(self, room: str, version: int) -> StoredRoom:
        game = self.games[room]
        bodies = [body for commit in game.events[:version] for body in commit]
        return StoredRoom(version, None, array(bodies), game.checkpoint(version), bodies[-RECENT_EVENTS:])

    async def commits(self, room: str, after: int, upto: int) -> list[StoredCommit]:
        game = self.games[room]
        self.filled += upto - after
        return [StoredCommit(n, game.events[n - 1], game.checkpoint(n)) for n in range(after + 1, upto + 1)]


class Stage:
    """Replicas, rooms, and what readers have."""

    def __init__(self, names: str) -> None:
        self.now = 100.0
        self.rng = random.Random(names)
        self.wire = Wire()
        self.shelf = Shelf([record(LENGTH, seed) for seed in range(1, 7)])
        self.shares: dict[str, Shares] = {}
        for name in names:
            self.shares[name] = Shares(name, lambda: self.now)
            plug: Any = Plug(self.wire, name)
            shelf: Any = self.shelf
            self.wire.replicas[name] = Projection(plug, shelf, 100, self.shares[name])
        self.now += JOIN_SECONDS

    async def beat(self) -> None:
        """Each says that it is there."""
        for name in list(self.wire.replicas):
            if self.shares[name].takes_part():
                for other, replica in self.wire.replicas.items():
                    if other != name:
                        await replica.here("", ReplicaHere(name))

    async def watch(self) -> None:
        """Room says who watches, to every replica."""
        for room in self.shelf.games:
            for replica in self.wire.replicas.values():
                await replica.watching("", Watching(room, list(ALL), 600))

    async def play(self, *, wake: bool = True, stream: bool = True) -> None:
        """One commit of each room: its wake-up, and the stream's copy at any one replica."""
        for room, game in self.shelf.games.items():
            version = self.shelf.stands[room] = self.shelf.stands[room] + 1
            if wake:
                await self.wire.say(subjects.commit(room), game.commit(version))
            if stream:
                replica = self.rng.choice(list(self.wire.replicas.values()))
                await replica.committed(game.commit(version), Delivery("commit", 1))

    async def lose(self, name: str) -> None:
        """A replica is killed: nobody is told."""
        del self.wire.replicas[name]
        for heard in self.wire.listeners.values():
            heard.pop(name, None)

    def numbers(self, room: str, audience: str) -> list[int]:
        return [c.seq for c in self.wire.changes if (c.room, c.audience) == (room, audience)]

    async def check(self) -> None:
        """Whoever read all changes from the beginning has the view of the newest version, and any replica gives it."""
        for room, game in self.shelf.games.items():
            version = self.shelf.stands[room]
            for audience in ALL:
                then, now = game.game(1), game.game(version)
                shown = msgspec.json.decode(encode_view(view(then.table, then.checkpoint(), audience)))
                seq = then.sequences.get(audience, 0)
                for change in self.wire.changes:
                    if (change.room, change.audience) == (room, audience) and change.seq > seq:
                        assert change.seq == seq + 1, "a change is missing"
                        shown, seq = apply_patch(shown, msgspec.json.decode(change.patch)), change.seq
                wanted = encode_view(view(now.table, now.checkpoint(), audience))
                assert shown == msgspec.json.decode(wanted)
                for replica in self.wire.replicas.values():
                    whole = await replica.view(ViewRequest(room, audience, version))
                    assert isinstance(whole, View)
                    assert bytes(whole.view) == wanted


@pytest.mark.parametrize("names", ["a", "ab", "abcde"])
async def test_each_change_is_published_once_and_nothing_is_read_twice(names: str) -> None:
    stage = Stage(names)
    await stage.beat()
    await stage.watch()
    for _ in range(30):
        await stage.play()
    assert not stage.shelf.filled, "who has a room hears all of its commits"
    for room in stage.shelf.games:
        for audience in ALL:
            numbers = stage.numbers(room, audience)
            assert numbers == sorted(set(numbers))
            assert sum(room in replica._hot for replica in stage.wire.replicas.values()) == 1
    await stage.check()


async def test_the_stream_alone_is_enough() -> None:
    """A wake-up that nobody heard: whoever is handed the commit sees to it that it is shown."""
    stage = Stage("abc")
    await stage.beat()
    await stage.watch()
    for number in range(20):
        await stage.play(wake=number % 3 == 0)
    await stage.check()


async def test_nothing_is_lost_with_a_replica() -> None:
    """Its rooms go over as soon as somebody is handed a commit of theirs, whether or not its silence was noticed."""
    stage = Stage("abc")
    await stage.beat()
    await stage.watch()
    for _ in range(10):
        await stage.play()
    await stage.lose("b")
    for _ in range(10):
        await stage.play()
    await stage.check()
    assert all(not stage.shares[name].lost("b") for name in "ac"), "it was found out"
