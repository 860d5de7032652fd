"""One audience of one room in this process: what was shown lately, and how to get the whole view."""

from __future__ import annotations

import asyncio
import time
from collections import deque

import msgspec

from services.room.errors import unavailable
from shared.wire import subjects
from shared.wire.client import Bus
from shared.wire.errors import BusError
from shared.wire.messages import NoView, View, ViewChanged, ViewRequest

RING = 64
"""Changes kept for readers who come back or are slow; who lags further behind gets the newest whole view."""
VIEW_SECONDS = 3.0
ASK_SECONDS = (0.7, 2.0)
"""How long to wait for projection, try by try: the first replica may have died over it, the next is only busy."""


class Frame:
    """One thing to send to streams, encoded once for all of them.

    Only its data is kept, as often as rings keep frames: the few bytes around it are written anew for each reader.
    """

    def __init__(self, event: str, data: bytes, seq: int | None = None) -> None:
        self.event = event
        # A line break would end an SSE field; in JSON it can only be space between tokens.
        self.data = data.replace(b"\r", b" ").replace(b"\n", b" ")
        self.seq = seq

    @property
    def sse(self) -> bytes:
        """The frame as a server-sent event; `id` is the sequence number that a reader resumes after."""
        head = b"" if self.seq is None else b"id: %d\n" % self.seq
        return head + b"event: %s\ndata: %s\n\n" % (self.event.encode(), self.data)

    @property
    def ndjson(self) -> bytes:
        """The frame as a line of JSON: `{"event": ..., "data": {...}}`."""
        return b'{"event":"%s","data":%s}\n' % (self.event.encode(), self.data)


def view_frame(view: View) -> Frame:
    """The whole view as a frame."""
    return Frame("view", msgspec.json.encode({"seq": view.seq, "view": view.view, "log": view.log}), view.seq)


def changed_frame(change: ViewChanged) -> Frame:
    """What changed, as a frame."""
    body = {"seq": change.seq, "events": change.events, "patch": change.patch}
    return Frame("changed", msgspec.json.encode(body), change.seq)


async def whole_view(
    bus: Bus, room: str, audience: str, version: int = 0, seconds: float = VIEW_SECONDS, log: bool = True
) -> View:
    """Ask projection for a whole view, with its log if wanted, again while it is away. Raises ApiError 503."""
    asked = ViewRequest(room, audience, version, log)
    until = time.monotonic() + seconds
    pause = 0.05
    tries = 0
    while True:
        left = max(0.2, until - time.monotonic())
        patience = ASK_SECONDS[min(tries, len(ASK_SECONDS) - 1)]
        tries += 1
        try:
            reply = await bus.request(subjects.PROJECTION_VIEW, asked, View | NoView, min(left, patience))
            if isinstance(reply, View):
                return reply
        except BusError:
            pass
        if time.monotonic() + pause >= until:
            raise unavailable("The view of this seat is not ready yet; try again.")
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.5)


class Channel:
    """The recent changes of one audience, contiguous: readers keep only the number they have got to."""

    def __init__(self, bus: Bus, room: str, audience: str) -> None:
        self.room = room
        self.audience = audience
        self.readers = 0
        self.idle_since = time.monotonic()
        self.latest: int | None = None
        self._bus = bus
        self._ring: deque[Frame] = deque(maxlen=RING)
        self._fetch: asyncio.Task[View] | None = None
        self._fetch_version = 0

    def add(self, change: ViewChanged) -> bool:
        """Take a change from projection. False for one that was known already (hints may come twice)."""
        if self.latest is not None and change.seq <= self.latest:
            return False
        if self.latest is not None and change.seq != self.latest + 1:
            self._ring.clear()
        self._ring.append(changed_frame(change))
        self.latest = change.seq
        return True

    def lose(self) -> None:
        """Changes may have been missed (the bus was away): every reader asks for the whole view."""
        self._ring.clear()
        self.latest = None

    def skip_to(self, seq: int) -> None:
        """Changes up to `seq` were missed for certain: readers below it ask for the whole view."""
        self._ring.clear()
        self.latest = seq

    def after(self, seq: int) -> list[Frame] | None:
        """The changes after `seq`, or None when they are not all here.

        Who read a newer whole view than the last change heard is ahead for a moment: nothing to send.
        """
        if self.latest is None:
            return None
        if seq >= self.latest:
            return []
        first = self.latest - len(self._ring) + 1
        if seq + 1 < first:
            return None
        return list(self._ring)[seq + 1 - first :]

    async def whole(self, version: int = 0) -> View:
        """The whole view, at least as new as `version`; readers who ask at the same time share one request."""
        running = self._fetch
        if running is None or running.done() or self._fetch_version < version:
            self._fetch_version = version
            running = self._fetch = asyncio.create_task(
                whole_view(self._bus, self.room, self.audience, version)
            )
            running.add_done_callback(_heard)
        view = await asyncio.shield(running)
        if self.latest is None:
            self.latest = view.seq
        return view


def _heard(fetch: asyncio.Task[View]) -> None:
    """That a view could not be had is told to whoever waits for it; where all of them have left, to nobody."""
    if not fetch.cancelled():
        fetch.exception()
