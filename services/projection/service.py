"""The projection service: folds commits for rooms that somebody watches, answers for views, keeps read models.

A message is a hint: versions are applied once and in order, and a gap is filled from the store. Any replica can
take up any room at any moment; who was handed a commit publishes what it changed.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict

import msgspec
import psycopg
from msgspec import Raw
from opentelemetry.trace import SpanKind

from services.projection.hot import HotRoom
from services.projection.store import Progress, Store, StoredCommit
from shared.dune.events import decode_event
from shared.dune.events.course import GameEnded, PhaseBegan, TurnBegan
from shared.ops import metrics
from shared.ops.database import Connection, Pool, StoreLost
from shared.ops.logging import get_logger
from shared.ops.service import Runtime
from shared.ops.settings import DatabaseSettings
from shared.ops.stages import Stage
from shared.wire import streams, subjects
from shared.wire.client import Bus
from shared.wire.consumer import Consumer, Delivery, Later, work_off
from shared.wire.discovery import announce
from shared.wire.messages import Commit, NoView, View, ViewRequest, Watching

__all__ = ["Projection", "ProjectionSettings", "serve"]

log = get_logger("projection")

CONSUMER = Consumer(
    stream=streams.COMMITS,
    durable="projection",
    subject=subjects.COMMIT_ALL,
    concurrency=64,
    max_deliver=5,
    ack_wait=2.0,
)

FOLD = Stage("projection.fold", "One commit folded and its views built", kind=SpanKind.CONSUMER)
PUBLISH = Stage(
    "projection.publish", "What one commit changed, sent to every audience", kind=SpanKind.PRODUCER
)
VIEW = Stage("projection.view", "One whole view, the wait for its version included", kind=SpanKind.SERVER)
FILLED = metrics.counter(
    "projection_commits_filled", "Commits read from the store because their hint was missing"
)
HOT = metrics.gauge("projection_hot_rooms", "Rooms held hot")
PUBLISHED = metrics.counter("projection_changes", "Changes published to audiences")


class ProjectionSettings(DatabaseSettings, frozen=True, kw_only=True):
    """Settings of the projection service: how many rooms a replica holds hot, and its connections to PostgreSQL."""

    hot_rooms: int = 2000
    connections: int = 4


class Projection:
    """All rooms that this replica holds hot, and who watches them."""

    def __init__(self, bus: Bus, store: Store, hot_rooms: int) -> None:
        self._bus = bus
        self._store = store
        self._most = hot_rooms
        self._hot: OrderedDict[str, HotRoom] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}
        self._watched: dict[str, dict[str, float]] = {}

    async def watching(self, _: str, said: Watching) -> None:
        """Somebody watches these audiences until then."""
        room = self._watched.setdefault(said.room, {})
        for audience in said.audiences:
            room[audience] = max(said.until, room.get(audience, 0.0))
        if len(self._watched) > 2 * self._most:
            # Rooms whose watchers left and that saw no commit since.
            for name in list(self._watched):
                self._audiences(name)

    async def committed(self, commit: Commit, delivery: Delivery) -> None:
        """Fold a commit if its room is hot or watched, publish what changed, and note the room's progress."""
        try:
            async with self._lock(commit.room):
                await self._fold(commit)
            await self._note(commit)
        except (StoreLost, psycopg.Error) as error:
            log.warning(
                "the store cannot be reached; the commit will come again", reason=type(error).__name__
            )
            raise Later(0.5) from None

    async def view(self, asked: ViewRequest) -> View | NoView:
        """The whole view of an audience, at the version asked for or a newer one; at the newest for version 0."""
        with VIEW():
            try:
                return await self._view(asked)
            except (StoreLost, psycopg.Error) as error:
                log.warning("the store cannot be reached; no view", reason=type(error).__name__)
                return NoView("the store cannot be reached at the moment")

    async def _view(self, asked: ViewRequest) -> View | NoView:
        held = self._hot.get(asked.room)
        if held is not None and 0 < asked.version <= held.version:
            # Who names a version has seen it in the store: nothing needs to be asked there once more.
            self._hot.move_to_end(asked.room)
            return held.whole(asked.audience) or NoView("this game has no such audience")
        try:
            newest = await self._store.version(asked.room)
        except ValueError:
            newest = None
        if newest is None or newest[0] == 0:
            return NoView("there is no such game")
        if newest[0] < asked.version:
            return NoView("the game has not come so far")
        async with self._lock(asked.room):
            hot = await self._at(asked.room, newest[0], newest[1])
            return hot.whole(asked.audience) or NoView("this game has no such audience")

    async def _fold(self, commit: Commit) -> None:
        audiences = self._audiences(commit.room)
        hot = self._hot.get(commit.room)
        if hot is None and not audiences:
            return
        if hot is None:
            stands = await self._store.version(commit.room)
            if commit.version > 1:
                hot = await self._at(commit.room, commit.version - 1, bool(stands and stands[1]))
            else:
                await self._at(commit.room, 1, bool(stands and stands[1]))
                return
        if commit.version <= hot.version:
            return
        if commit.version > hot.version + 1:
            await self._catch_up(hot, commit.version - 1)
        bodies = [bytes(event) for event in commit.events]
        await self._apply(hot, StoredCommit(commit.version, bodies, bytes(commit.checkpoint)))

    async def _at(self, room: str, version: int, scenario: bool) -> HotRoom:
        """The room, hot, at least at `version`; what it lacks is read from the store and published."""
        hot = self._hot.get(room)
        if hot is None:
            hot = HotRoom(room, await self._store.take_up(room, version), scenario)
            self._hot[room] = hot
        elif hot.version < version:
            await self._catch_up(hot, version)
        self._hot.move_to_end(room)
        while len(self._hot) > self._most:
            self._hot.popitem(last=False)
        HOT.set(len(self._hot))
        return hot

    async def _catch_up(self, hot: HotRoom, version: int) -> None:
        for stored in await self._store.commits(hot.room, hot.version, version):
            FILLED.inc()
            await self._apply(hot, stored)

    async def _apply(self, hot: HotRoom, commit: StoredCommit) -> None:
        with FOLD():
            try:
                changes = hot.apply(commit, self._audiences(hot.room))
            except Exception:
                self._hot.pop(hot.room, None)  # half folded: it is read again from the store
                raise
        if not changes:
            return
        with PUBLISH():
            for change in changes:
                await self._bus.publish(subjects.view(change.room, change.audience), change)
        PUBLISHED.inc(len(changes))

    async def _note(self, commit: Commit) -> None:
        progress = _progress(commit.events)
        if progress is not None:
            await self._store.note(commit.room, commit.version, progress)

    def _audiences(self, room: str) -> list[str]:
        now = time.time()
        watched = self._watched.get(room, {})
        current = {audience: until for audience, until in watched.items() if until > now}
        if current:
            self._watched[room] = current
        else:
            self._watched.pop(room, None)
        return list(current)

    def _lock(self, room: str) -> asyncio.Lock:
        if len(self._locks) > 4 * self._most:
            self._locks = {name: lock for name, lock in self._locks.items() if lock.locked()}
        return self._locks.setdefault(room, asyncio.Lock())


def _progress(events: list[Raw]) -> Progress | None:
    turn = phase = result = None
    for body in events:
        event = decode_event(body)
        if isinstance(event, TurnBegan):
            turn = event.turn
        elif isinstance(event, PhaseBegan):
            phase = event.phase
        elif isinstance(event, GameEnded):
            result = msgspec.json.encode(event.result).decode()
    told = turn is not None or phase is not None or result is not None
    return Progress(turn, phase, result) if told else None


async def serve(runtime: Runtime[ProjectionSettings]) -> None:
    """Fold and answer until asked to end."""
    settings = runtime.settings
    bus = await Bus.connect(settings.nats_url, "projection", creds=settings.nats_creds)
    pool = Pool(settings.database_url, settings.connections, name="sietch-projection")
    projection = Projection(bus, Store(pool), settings.hot_rooms)
    runtime.health.add("nats", bus.check)
    runtime.health.add("postgres", lambda: _database(pool))
    await bus.subscribe(subjects.interest("*"), Watching, projection.watching)
    await bus.serve(
        subjects.PROJECTION_VIEW,
        ViewRequest,
        projection.view,
        queue=subjects.PROJECTION_QUEUE,
        concurrency=128,
    )
    await announce(bus, "projection", settings.instance)
    await work_off(runtime, bus, CONSUMER, Commit, projection.committed)
    await pool.close()


async def _database(pool: Pool) -> str | None:
    async def one(connection: Connection) -> None:
        await connection.execute("SELECT 1")

    await pool.reading(one, 1.0)
    return None
