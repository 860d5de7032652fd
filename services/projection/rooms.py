"""The rooms that this replica folds, and who watches them.

A message is a hint: versions are applied once and in order, and a gap is filled from the store. A room that somebody
watches or asked about lately belongs to one replica, which hears its commits the moment room publishes them. The
durable stream reaches any one replica later: whoever gets a commit of another's room sees to it that it was folded.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from weakref import WeakValueDictionary

import psycopg
from opentelemetry.trace import SpanKind

from services.projection.hot import HotRoom
from services.projection.shares import BEAT_SECONDS, Shares
from services.projection.store import Store, StoredCommit
from shared.ops import metrics, scrape
from shared.ops.database import StoreLost
from shared.ops.logging import get_logger
from shared.ops.stages import Stage
from shared.wire import subjects
from shared.wire.client import Bus, Subscription
from shared.wire.consumer import Delivery, Later
from shared.wire.errors import BusError, NoResponders
from shared.wire.messages import Commit, NoView, Reached, ReplicaHere, View, ViewRequest, Watching

__all__ = ["Projection"]

log = get_logger("projection")

ASKED_SECONDS = 60.0
"""How long a room is followed after its view was last asked for, though nobody watches it: bots look so."""
TEND_BEATS = 5
"""Beats between two looks at which rooms are still to be followed."""
OTHER_SECONDS = 1.0
"""How long to wait for the replica that a room belongs to."""

FOLD = Stage("projection.fold", "One commit folded and its views built", kind=SpanKind.CONSUMER)
PUBLISH = Stage(
    "projection.publish", "What one commit changed, sent to every audience", kind=SpanKind.PRODUCER
)
VIEW = Stage("projection.view", "One whole view, the wait for its version included", kind=SpanKind.SERVER)
FILLED = metrics.counter(
    "projection_commits_filled", "Commits read from the store because their hint was missing"
)
LAG = metrics.histogram(
    "projection_lag_seconds",
    "From a commit to the sending of what it changed, by the clocks of the two processes",
    buckets=metrics.WAIT_BUCKETS,
)
BEHIND = scrape.Seen("projection_unfolded_commits", "Commits that were heard here and are not folded yet")
HOT = metrics.gauge("projection_hot_rooms", "Rooms held hot")
FOLLOWED = metrics.gauge("projection_followed_rooms", "Rooms whose commits this replica hears at once")
PUBLISHED = metrics.counter("projection_changes", "Changes published to audiences")
PASSED_ON = metrics.counter("projection_views_passed_on", "Views asked of the replica that has the room")


class Projection:
    """All rooms that this replica holds hot, and who watches them."""

    def __init__(self, bus: Bus, store: Store, hot_rooms: int, shares: Shares) -> None:
        self._bus = bus
        self._store = store
        self._most = hot_rooms
        self._shares = shares
        self._hot: OrderedDict[str, HotRoom] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._watched: dict[str, dict[str, float]] = {}
        self._asked: dict[str, float] = {}
        self._followed: dict[str, Subscription | None] = {}
        scrape.looks["projection"] = scrape.Look("projection", self._look, (BEHIND,))

    async def _look(self) -> None:
        BEHIND.set(sum(heard.pending_msgs for heard in self._followed.values() if heard is not None))

    # ------------------------------------------------------------------ what is heard

    async def watching(self, _: str, said: Watching) -> None:
        """Somebody watches these audiences for a while."""
        until = time.monotonic() + said.seconds
        room = self._watched.setdefault(said.room, {})
        for audience in said.audiences:
            room[audience] = max(until, room.get(audience, 0.0))
        if said.seconds > 0:
            await self._follow(said.room)

    async def committed(self, commit: Commit, delivery: Delivery) -> None:
        """A commit from the stream: it is folded here, or where its room belongs."""
        try:
            if not await self._told_owner(commit):
                await self._folded(commit)
        except (StoreLost, psycopg.Error) as error:
            log.warning(
                "the store cannot be reached; the commit will come again", reason=type(error).__name__
            )
            raise Later(0.5) from None

    async def _told_owner(self, commit: Commit) -> bool:
        """Whether the room is another replica's, which then has folded the commit if anybody watches."""
        while (owner := self._shares.owner(commit.room)) != self._shares.me:
            if not self._audiences(commit.room):
                return True
            try:
                asked = Reached(commit.room, commit.version)
                subject = subjects.projection_at(owner, "reach")
                reply = await self._bus.request(subject, asked, Reached, OTHER_SECONDS)
                if reply.version >= commit.version:
                    return True
                break  # it has not heard yet who watches: they are known here
            except NoResponders:
                await self._lost(owner)
            except BusError as error:
                log.warning("the replica of a room does not answer; folding it here", reason=str(error))
                break
        return False

    async def woken(self, _: str, commit: Commit) -> None:
        """A commit of a room that is followed here, straight from room; the stream has it too, if this fails."""
        try:
            await self._folded(commit)
        except (StoreLost, psycopg.Error) as error:
            log.warning("the store cannot be reached; the stream repeats it", reason=type(error).__name__)

    async def reach(self, asked: Reached) -> Reached:
        """Another replica got a commit of a room that is this one's: it is folded, if need be from the store.

        Says which version was published; 0 where nobody is known to watch.
        """
        async with self._lock(asked.room):
            if not self._audiences(asked.room):
                return Reached(asked.room, 0)
            hot = self._hot.get(asked.room) or await self._taken_up(asked.room, max(1, asked.version - 1))
            if hot.version < asked.version:
                await self._catch_up(hot, asked.version)
            return Reached(asked.room, hot.version)

    # ------------------------------------------------------------------ whose rooms are whose

    async def here(self, _: str, said: ReplicaHere) -> None:
        """Another replica is there, or leaves."""
        if self._shares.heard(said.replica, said.gone):
            await self.tend()

    async def _lost(self, replica: str) -> None:
        if self._shares.lost(replica):
            log.warning("a replica is gone; its rooms go over to the others", replica=replica)
            await self.tend()

    async def share(self) -> None:
        """Say that this replica is there, and keep to its share of the rooms, until cancelled."""
        took_part, beats = False, 0
        while True:
            takes_part = self._shares.takes_part()
            if takes_part:
                await self._say(gone=False)
            if takes_part != took_part or beats % TEND_BEATS == 0:
                try:
                    await self.tend()
                except Exception:
                    log.exception("cannot tend the rooms; trying again")
            took_part, beats = takes_part, beats + 1
            await asyncio.sleep(BEAT_SECONDS)

    async def leave(self) -> None:
        """Leave the rooms to the others."""
        self._shares.leave()
        await self._say(gone=True)

    async def _say(self, gone: bool) -> None:
        try:
            await self._bus.publish(subjects.PROJECTION_HERE, ReplicaHere(self._shares.me, gone))
        except BusError as error:
            log.debug("the other replicas were not told", reason=str(error))

    async def tend(self) -> None:
        """Follow the watched rooms that are this replica's, and no longer those that nobody wants or are not.

        A room that nobody wants is not held hot: it is taken up again when somebody asks.
        """
        past = time.monotonic() - ASKED_SECONDS
        self._asked = {room: when for room, when in self._asked.items() if when > past}
        for room in list(self._watched):
            if self._audiences(room):
                await self._follow(room)
        for room, heard in list(self._followed.items()):
            if heard is not None and not (self._shares.mine(room) and self._wanted(room)):
                self._followed.pop(room, None)
                await self._bus.unsubscribe(heard)
        for room in list(self._hot):
            if not (self._shares.mine(room) and self._wanted(room)):
                del self._hot[room]
        FOLLOWED.set(len(self._followed))
        HOT.set(len(self._hot))

    def _wanted(self, room: str) -> bool:
        return room in self._asked or bool(self._audiences(room))

    async def _follow(self, room: str) -> None:
        """Hear a room's commits at once, if the room is this replica's."""
        if room in self._followed or not self._shares.mine(room):
            return
        self._followed[room] = None  # asked for: whoever comes meanwhile need not ask again
        try:
            self._followed[room] = await self._bus.subscribe(subjects.commit(room), Commit, self.woken)
        except Exception:
            del self._followed[room]
            raise

    # ------------------------------------------------------------------ views

    async def view(self, asked: ViewRequest) -> View | NoView:
        """The whole view of an audience, from the replica that has the room; from the store if that is gone."""
        while (owner := self._shares.owner(asked.room)) != self._shares.me:
            try:
                PASSED_ON.inc()
                subject = subjects.projection_at(owner, "view")
                reply: View | NoView = await self._bus.request(subject, asked, View | NoView, OTHER_SECONDS)
                return reply
            except NoResponders:
                await self._lost(owner)
            except BusError:
                break
        return await self.own_view(asked)

    async def own_view(self, asked: ViewRequest) -> View | NoView:
        """The whole view of an audience at the wanted version or later; if none is named, as the store is now."""
        with VIEW():
            try:
                return await self._view(asked)
            except (StoreLost, psycopg.Error) as error:
                log.warning("the store cannot be reached; no view", reason=type(error).__name__)
                return NoView("the store cannot be reached at the moment")

    async def _view(self, asked: ViewRequest) -> View | NoView:
        hot = self._hot.get(asked.room)
        if hot is None or not 0 < asked.version <= hot.version:
            try:
                newest = await self._store.version(asked.room)
            except ValueError:
                newest = None
            if newest is None or newest[0] == 0:
                return NoView("there is no such game")
            if newest[0] < asked.version:
                return NoView("the game has not come so far")
            async with self._lock(asked.room):
                hot = await self._at(asked.room, *newest)
        else:
            self._hot.move_to_end(asked.room)  # who names a version has seen it in the store
        self._asked[asked.room] = time.monotonic()
        await self._follow(asked.room)
        return hot.whole(asked.audience, asked.log) or NoView("this game has no such audience")

    # ------------------------------------------------------------------ folding

    async def _folded(self, commit: Commit) -> None:
        async with self._lock(commit.room):
            await self._fold(commit)

    async def _fold(self, commit: Commit) -> None:
        hot = self._hot.get(commit.room)
        if hot is None:
            if not self._audiences(commit.room):
                return
            hot = await self._taken_up(commit.room, max(1, commit.version - 1))
        self._hot.move_to_end(commit.room)
        if commit.version <= hot.version:
            return
        if commit.version > hot.version + 1:
            await self._catch_up(hot, commit.version - 1)
        bodies = [bytes(event) for event in commit.events]
        await self._apply(hot, StoredCommit(commit.version, bodies, bytes(commit.checkpoint)))
        if commit.at:
            LAG.observe(max(0.0, time.time() - commit.at))

    async def _taken_up(self, room: str, version: int) -> HotRoom:
        stands = await self._store.version(room)
        return await self._at(room, version, bool(stands and stands[1]))

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

    def _audiences(self, room: str) -> list[str]:
        watched = self._watched.get(room)
        if not watched:
            return []
        now = time.monotonic()
        current = {audience: until for audience, until in watched.items() if until > now}
        if current:
            self._watched[room] = current
        else:
            self._watched.pop(room, None)
        return list(current)

    def _lock(self, room: str) -> asyncio.Lock:
        """The lock of a room, kept for as long as somebody holds it or waits for it."""
        lock = self._locks.get(room)
        if lock is None:
            lock = self._locks[room] = asyncio.Lock()
        return lock
