"""What the load client notices: missing numbers, ended streams, and memory that grows."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import time
from collections.abc import Callable

import pytest

from tests.bench.growth import growth
from tests.bench.seated import Seated
from tests.bench.watching import anonymous_kib
from tests.bench.wire import Caller, Refused
from tests.waiting import PATIENCE, until

FRAMES = {
    "view": b'{"event":"view","data":{"seq":%d,"view":{"seat":"guild","offers":[{"id":"guild-1"}]},"log":[]}}\n',
    "changed": b'{"event":"changed","data":{"seq":%d,"events":[],"patch":{"turn":2}}}\n',
    "closed": b'{"event":"changed","data":{"seq":%d,"events":[],"patch":{"offers":null}}}\n',
    "over": b'{"event":"changed","data":{"seq":%d,"events":[],"patch":{"result":{"winners":["guild"]}}}}\n',
}


class Server:
    """Says what a test puts into `frames` on every stream, and `reply` to every request, in chunks as uvicorn does."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[bytes] = asyncio.Queue()
        self.reply = b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n" + b'{"ok":true}'

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"ndjson" not in head:
            writer.write(self.reply[:20])
            await writer.drain()
            await asyncio.sleep(0.01)
            writer.write(self.reply[20:])
            await writer.drain()
            await self._end(writer)
            return
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n\n\r\n")
        while frame := await self.frames.get():
            writer.write(b"%x\r\n%s\r\n" % (len(frame), frame))
        await self._end(writer)

    async def _end(self, writer: asyncio.StreamWriter) -> None:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def _watched(*frames: tuple[str, int]) -> Seated:
    """A room whose one stream said these frames, and then ended."""
    server = Server()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    room = Seated(f"http://127.0.0.1:{port}", "/room", {"guild": "token"}, lambda _: "/stream")
    for name, seq in frames:
        server.frames.put_nowait(FRAMES[name] % seq)
    server.frames.put_nowait(b"")
    await room.open()
    await until(lambda: room.ends, "the end of the stream")
    room.close()
    listening.close()
    return room


async def test_numbers_without_a_gap_are_no_fault() -> None:
    """The offers are those of the newest frame that says any; null is none."""
    room = await _watched(("view", 3), ("changed", 4), ("changed", 5))
    assert (room.gaps, room.seats["guild"].seq, room.seats["guild"].over) == ([], 5, False)
    assert [bytes(raw) for raw in room.seats["guild"].offers] == [b'{"id":"guild-1"}']
    room = await _watched(("view", 3), ("closed", 4), ("over", 5))
    assert (room.seats["guild"].offers, room.seats["guild"].over) == ([], True)


async def test_a_missing_number_and_an_ended_stream_are_faults() -> None:
    """Also a change that comes twice, and a whole view that is older than what was shown."""
    room = await _watched(("view", 3), ("changed", 5))
    assert room.gaps == ["guild: 5 after 3"]
    assert room.ends == ["guild: ended by the server"]
    assert (await _watched(("view", 3), ("changed", 4), ("changed", 4))).gaps == ["guild: 4 after 4"]
    assert (await _watched(("view", 3), ("view", 2))).gaps == ["guild: whole view 2 after 3"]


async def test_a_reply_in_pieces_and_a_refusal() -> None:
    """The body is complete when its length is there; a refusal tells its status."""
    server = Server()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    caller = Caller(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}")
    assert await caller.call("POST", "/x", {"a": 1}) == {"ok": True}
    caller.close()
    server.reply = b"HTTP/1.1 409 Conflict\r\nContent-Length: 5\r\n\r\nstale"
    with pytest.raises(Refused, match="409 stale"):
        await caller.call("POST", "/x")
    caller.close()
    listening.close()


def minutes(count: int, size: Callable[[float], float]) -> list[tuple[float, float]]:
    """Looks every ten seconds."""
    return [(number / 6, size(number / 6)) for number in range(count)]


def test_growth_is_the_slope_of_a_fitted_line_between_its_bounds() -> None:
    """A level line with noise does not grow; a rising one does, whatever its noise; a few looks say nothing."""
    noise = random.Random(1)
    level = growth(minutes(60, lambda _: noise.gauss(100, 5)))
    assert level is not None
    assert level.least < 0 < level.most < 1
    rising = growth(minutes(60, lambda x: 7 + 3 * x + noise.gauss(0, 1)))
    assert rising is not None
    assert 2.5 < rising.least < rising.slope < rising.most < 3.5
    assert growth(minutes(15, lambda _: 5)) is None


def test_what_comes_and_goes_is_no_growth() -> None:
    """Of a level line with spikes the floor is level for certain; of a rising one it rises."""
    spikes = random.Random(3)
    level = growth(minutes(36, lambda _: 100 + 50 * (spikes.random() < 0.2)), min)
    assert level is not None
    assert level.most < 5
    rising = growth(minutes(36, lambda x: 100 + 4 * x + 50 * (spikes.random() < 0.2)), min)
    assert rising is not None
    assert rising.least > 3


def test_more_looks_decide_what_fewer_leave_open() -> None:
    """A server's garbage comes and goes: whether it grows by 500 KiB a minute, five minutes leave open, twelve not."""
    noise = random.Random(1)
    level = minutes(72, lambda _: noise.gauss(60_000, 4_000))
    short, long = growth(level[:30]), growth(level)
    assert short is not None
    assert long is not None
    assert short.open(500)
    assert not long.open(500)
    assert long.most < 500
    rising = growth(minutes(30, lambda x: 60_000 + 3_000 * x + noise.gauss(0, 1_000)))
    assert rising is not None
    assert not rising.open(500)
    assert rising.least > 500


def test_the_bounds_are_as_sure_as_they_say() -> None:
    """Of level lines with noise, about one in twenty lies above what it is said to be at most."""
    noise = random.Random(2)
    found = [growth(minutes(30, lambda _: noise.gauss(0, 1))) for _ in range(400)]
    missed = sum(one is not None and one.most < 0 for one in found)
    assert 8 <= missed <= 36


def test_a_process_that_has_just_ended_has_no_memory() -> None:
    child = subprocess.Popen(["true"])
    try:
        until = time.monotonic() + PATIENCE
        while anonymous_kib(child.pid) and time.monotonic() < until:
            time.sleep(0.01)
        assert anonymous_kib(child.pid) == 0.0
        assert anonymous_kib(os.getpid()) > 1024
    finally:
        child.wait()
