"""All open streams of this process: one subscription for each audience watched here, fanned out to its readers."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from msgspec import Struct
from opentelemetry.trace import SpanKind

from services.room.channel import Channel
from services.room.errors import ApiError
from services.room.presence import Presence
from services.room.store.store import StoreDown
from shared.ops import metrics
from shared.ops.logging import get_logger
from shared.ops.stages import Stage
from shared.wire import subjects
from shared.wire.client import Bus, Subscription
from shared.wire.errors import BusError
from shared.wire.messages import ViewChanged, Watching

log = get_logger("room.hub")

BEAT_SECONDS = 5.0
INTEREST_SECONDS = 15.0
LINGER_SECONDS = 20.0
"""How long an audience stays watched after its last reader left: a reload finds the ring still here."""
QUIET_SECONDS = 5.0
"""After this long without a commit, the views are compared once with projection's: a lost change shows."""
UNHEARD_SECONDS = 1.0
"""The same where no change of the last commit was heard at all: its projection died, or stands still."""
LOBBY_SECONDS = 5.0
"""How often the rooms watched here are looked up in the store: whoever changed a seat or revoked a token may have died
before it told the others."""
COMPARED_AT_ONCE = 16
"""How many views are compared at the same time: a projection that is away must not hold up the next room's."""

STREAMS = metrics.gauge("room_streams_open", "Streams open at this process")
DELIVER = Stage("room.deliver", "One change handed to the streams that show it", kind=SpanKind.CONSUMER)
RESYNCS = metrics.counter("room_view_resyncs", "Changes found missing and replaced by a whole view", ("why",))


class CommitHead(Struct):
    """What the hub reads of a commit: only that there is one."""

    room: str
    version: int
    finished: bool = False


class Reader:
    """One open stream: where it reads, how far it got, how to wake it, and the lobby's number when it was let in."""

    def __init__(self, room: str, seat: int | None, lobby: int = 0) -> None:
        self.room = room
        self.seat = seat
        self.lobby = lobby
        self.channel: Channel | None = None
        self.wake = asyncio.Event()


Lobbies = Callable[[Sequence[str]], Awaitable[Mapping[str, int]]]
"""The number of each of these rooms' lobbies now: it grows with every change of seats, settings and tokens."""


async def _unknown(_: Sequence[str]) -> Mapping[str, int]:
    return {}


class Watch:
    """Everything this process holds about one room that somebody watches here."""

    def __init__(self) -> None:
        self.readers: set[Reader] = set()
        self.changes = 0
        self.presence = 0
        self.version = 0
        self.begun = False
        """Whether a commit was heard of: who was let in to a lobby has then been told that its game began."""
        self.compare_at = 0.0
        self.commits: Subscription | None = None
        self.subscribing = asyncio.Lock()


class Hub:
    """Readers, channels and the interest that projection is told of."""

    def __init__(
        self,
        bus: Bus,
        replica: str,
        forget: Callable[[str], None],
        outdated: Callable[[str, int], None] = lambda room, version: None,
        lobbies: Lobbies = _unknown,
    ) -> None:
        self._bus = bus
        self._forget = forget
        self._outdated = outdated
        self._lobbies = lobbies
        self._watches: dict[str, Watch] = {}
        self._channels: dict[tuple[str, str], tuple[Channel, Subscription]] = {}
        self._subscribing = asyncio.Lock()
        self.presence = Presence(bus, replica, self._hinted)
        self.draining = False
        bus.on_reconnect.append(self._reconnected)

    async def enter(self, reader: Reader) -> None:
        """Open a stream on a room. Close it with `leave`, even if this was broken off: its client may go any moment."""
        watch = self._watches.setdefault(reader.room, Watch())
        watch.readers.add(reader)
        STREAMS.inc()
        # Shielded: a client that leaves in the middle must not leave a subscription behind that nobody knows of.
        await asyncio.shield(self._hear_commits(reader.room, watch))
        if reader.seat is not None:
            await self._tell(reader.room)

    async def _hear_commits(self, room: str, watch: Watch) -> None:
        async with watch.subscribing:
            if watch.commits is None:
                watch.commits = await self._bus.subscribe(subjects.commit(room), CommitHead, self._committed)

    async def leave(self, reader: Reader) -> None:
        """Close a stream."""
        watch = self._watches.get(reader.room)
        if watch is None or reader not in watch.readers:
            return
        watch.readers.discard(reader)
        STREAMS.dec()
        if reader.channel is not None:
            reader.channel.readers -= 1
            reader.channel.idle_since = time.monotonic()
            reader.channel = None
        if reader.seat is not None:
            await self._tell(reader.room)

    async def watch_audience(self, reader: Reader, audience: str) -> Channel:
        """Let a stream read one audience; projection is told at once that somebody watches."""
        channel = await asyncio.shield(self._hear_audience((reader.room, audience)))
        channel.readers += 1
        reader.channel = channel
        await self._announce(reader.room)
        return channel

    async def _hear_audience(self, key: tuple[str, str]) -> Channel:
        async with self._subscribing:
            if key not in self._channels:
                subscription = await self._bus.subscribe(
                    subjects.view(*key), ViewChanged, self._changed, pending=1024
                )
                self._channels[key] = (Channel(self._bus, *key), subscription)
            channel = self._channels[key][0]
            channel.idle_since = (
                time.monotonic()
            )  # whoever asked for it is about to read: not to be swept now
            return channel

    def watch_of(self, room: str) -> Watch:
        """The room's counters of changes (a fresh one if nobody watches it)."""
        return self._watches.get(room) or Watch()

    # ------------------------------------------------------------------ what is heard

    async def _changed(self, _: str, change: ViewChanged) -> None:
        with DELIVER():
            self._deliver(change)

    def _deliver(self, change: ViewChanged) -> None:
        found = self._channels.get((change.room, change.audience))
        if found is None:
            return
        channel = found[0]
        watch = self._watches.get(change.room)
        if watch is not None and watch.compare_at:
            watch.compare_at = time.monotonic() + QUIET_SECONDS
        gap = channel.latest is not None and change.seq > channel.latest + 1
        if gap:
            RESYNCS.labels(why="gap").inc()
        if channel.add(change):
            self._wake(change.room, channel)

    async def _committed(self, _: str, head: CommitHead) -> None:
        self._outdated(head.room, head.version)
        watch = self._watches.get(head.room)
        if watch is not None:
            watch.version = max(watch.version, head.version)
            watch.compare_at = time.monotonic() + UNHEARD_SECONDS
            # The first that is heard of need not be the first: who began the game may have died before it told anybody.
            if not watch.begun or head.finished:
                watch.begun = True
                self._hinted(head.room, True)

    def _hinted(self, room: str, changed: bool) -> None:
        if changed:
            self._forget(room)
        watch = self._watches.get(room)
        if watch is None:
            return
        if changed:
            watch.changes += 1
        watch.presence += 1
        self._wake(room, None)

    async def _reconnected(self) -> None:
        for channel, _ in list(self._channels.values()):
            RESYNCS.labels(why="reconnect").inc()
            channel.lose()
            self._wake(channel.room, channel)
        for room in list(self._watches):
            self._hinted(room, True)
            await self._announce(room)

    def _wake(self, room: str, channel: Channel | None) -> None:
        watch = self._watches.get(room)
        for reader in watch.readers if watch else ():
            if channel is None or reader.channel is channel:
                reader.wake.set()

    # ------------------------------------------------------------------ what is told

    async def changed(self, room: str) -> None:
        """Tell every replica that the lobby, seats or tokens of a room changed."""
        await self.presence.tell(room, self._seats(room), changed=True)

    async def _tell(self, room: str) -> None:
        await self.presence.tell(room, self._seats(room))

    def _seats(self, room: str) -> list[int]:
        watch = self._watches.get(room)
        return sorted({r.seat for r in watch.readers if r.seat is not None}) if watch else []

    async def _announce(self, room: str) -> None:
        audiences = sorted(audience for name, audience in self._channels if name == room)
        if not audiences:
            return
        try:
            await self._bus.publish(subjects.interest(room), Watching(room, audiences, INTEREST_SECONDS))
        except BusError as error:
            log.debug("projection was not told who watches", reason=str(error))

    # ------------------------------------------------------------------ housekeeping

    async def run(self) -> None:
        """Beat until cancelled: tell interest and presence, drop what nobody reads."""
        beat = 0.0
        while True:
            await asyncio.sleep(1.0)
            now = time.monotonic()
            self.presence.expire()
            if now >= beat:
                beat = now + BEAT_SECONDS
                await self._sweep(now)
                for room in list(self._watches):
                    await self._announce(room)
                    if self._seats(room):
                        await self._tell(room)

    async def compare(self) -> None:
        """Compare quiet rooms until cancelled; beside the beat, for projection may be slow to answer, or away."""
        while True:
            await asyncio.sleep(0.5)
            await self._compare(time.monotonic())

    async def look_at_lobbies(self) -> None:
        """Look until cancelled for changes of rooms that nobody told of."""
        while True:
            await asyncio.sleep(LOBBY_SECONDS)
            with contextlib.suppress(StoreDown):  # then what is shown stands as it is; it is looked for again
                await self._look_at_lobbies()

    async def _look_at_lobbies(self) -> None:
        watched = [room for room, watch in self._watches.items() if watch.readers]
        for room, number in (await self._lobbies(watched)).items() if watched else ():
            if any(reader.lobby < number for reader in self.watch_of(room).readers):
                self._hinted(room, True)

    async def _sweep(self, now: float) -> None:
        for key, (channel, subscription) in list(self._channels.items()):
            if channel.readers == 0 and now - channel.idle_since > LINGER_SECONDS:
                del self._channels[key]
                await self._bus.unsubscribe(subscription)
        watched = {room for room, _ in self._channels}
        for room, watch in list(self._watches.items()):
            if not watch.readers and room not in watched:
                del self._watches[room]
                if watch.commits is not None:
                    await self._bus.unsubscribe(watch.commits)

    async def _compare(self, now: float) -> None:
        due: list[tuple[Channel, int]] = []
        for room, watch in list(self._watches.items()):
            if not watch.compare_at or watch.compare_at > now:
                continue
            watch.compare_at = 0.0
            due += [
                (channel, watch.version)
                for channel, _ in list(self._channels.values())
                if channel.room == room and channel.readers and channel.latest is not None
            ]
        for start in range(0, len(due), COMPARED_AT_ONCE):
            batch = due[start : start + COMPARED_AT_ONCE]
            await asyncio.gather(*(self._compare_channel(channel, version) for channel, version in batch))

    async def _compare_channel(self, channel: Channel, version: int) -> None:
        try:
            view = await channel.whole(version)
        except ApiError:
            # Projection is away: look again later.
            self.watch_of(channel.room).compare_at = time.monotonic() + UNHEARD_SECONDS
            return
        if channel.latest is not None and view.seq > channel.latest:
            channel.skip_to(view.seq)
            RESYNCS.labels(why="quiet").inc()
            self._wake(channel.room, channel)

    def drain(self) -> None:
        """Ask every stream to end: its reader reconnects to another replica."""
        self.draining = True
        for watch in self._watches.values():
            for reader in watch.readers:
                reader.wake.set()
