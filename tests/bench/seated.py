"""A room with an open stream for every seat, as a load client holds it: what each seat was shown, and whether a
number was missing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection

import msgspec

from tests.bench.wire import Caller, Frame, Stream

__all__ = ["Seat", "Seated"]

SHOWN_SECONDS = 15.0
"""How long a change may take to a stream before it counts as lost."""


class Seat:
    """One seat's stream: the number of the last frame, the questions open to the seat, gaps that were seen."""

    def __init__(self, name: str, token: str, changed: Callable[[Seat], None]) -> None:
        self.name = name
        self.token = token
        self.seq = -1
        self.offers: list[msgspec.Raw] = []
        self.over = False
        self.gaps: list[str] = []
        self.wholes = 0
        self.ends: list[str] = []
        self._changed = changed
        self._stream: Stream | None = None

    async def open(self, url: str, path: str) -> None:
        """Open the stream; after an end, from where it was."""
        after = f"?after={self.seq}" if self.seq >= 0 else ""
        self._stream = Stream(self._frame, self.ends.append)
        await self._stream.open(url, f"{path}{after}", self.token)

    def close(self) -> None:
        """Close the stream."""
        if self._stream is not None:
            self._stream.close()

    def _frame(self, frame: Frame) -> None:
        seq, shown = frame.data.seq, frame.data.view or frame.data.patch
        if frame.event == "changed":
            if seq != self.seq + 1:
                self.gaps.append(f"{self.name}: {seq} after {self.seq}")
        elif frame.event == "view":
            self.wholes += 1
            self.offers = []
            if seq < self.seq:
                self.gaps.append(f"{self.name}: whole view {seq} after {self.seq}")
        else:
            return
        self.seq = seq
        if shown is not None:
            if shown.offers is not msgspec.UNSET:
                self.offers = shown.offers or []
            self.over = self.over or shown.result is not None
        self._changed(self)


class Seated:
    """One room. `act` sends an answer and waits until all who are shown something have been shown it."""

    def __init__(self, url: str, path: str, tokens: dict[str, str], stream: Callable[[str], str]) -> None:
        self.url = url
        self.path = path
        self.caller = Caller(url)
        self.seats = {name: Seat(name, token, self._on_change) for name, token in tokens.items()}
        self._stream_path = stream
        self._missing: set[str] = set()
        self._shown = asyncio.Event()
        self._stirred = asyncio.Event()

    async def open(self) -> None:
        """Open every seat's stream and wait until each has the whole view."""
        for seat in self.seats.values():
            await seat.open(self.url, self._stream_path(seat.name))
        async with asyncio.timeout(60):
            while any(seat.seq < 0 for seat in self.seats.values()):
                self._stirred.clear()
                await self._stirred.wait()

    async def act(self, request: bytes, shown: Collection[str]) -> tuple[int, bytes, float, float]:
        """Post; status, body, seconds to the reply, seconds until the last of those `shown` was shown it.

        TimeoutError when a change does not come to a stream.
        """
        self._missing = {name for name in shown if name in self.seats}
        self._shown.clear()
        started = time.perf_counter()
        status, body = await self.caller.send(request)
        replied = time.perf_counter() - started
        if status == 200 and self._missing:
            await asyncio.wait_for(self._shown.wait(), SHOWN_SECONDS)
        return status, body, replied, time.perf_counter() - started

    async def stirred(self, seconds: float) -> bool:
        """Wait until any stream shows something new; False when none did in time."""
        self._stirred.clear()
        try:
            await asyncio.wait_for(self._stirred.wait(), seconds)
        except TimeoutError:
            return False
        return True

    @property
    def gaps(self) -> list[str]:
        """Every number that was missing on any stream."""
        return [gap for seat in self.seats.values() for gap in seat.gaps]

    @property
    def ends(self) -> list[str]:
        """Every stream that ended by itself."""
        return [f"{seat.name}: {end}" for seat in self.seats.values() for end in seat.ends]

    def close(self) -> None:
        """Close every connection."""
        for seat in self.seats.values():
            seat.close()
        self.caller.close()

    def _on_change(self, seat: Seat) -> None:
        self._stirred.set()
        self._missing.discard(seat.name)
        if not self._missing:
            self._shown.set()
