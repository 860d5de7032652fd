"""Clients that stall, trickle and flood: they are let go or told to wait, and who plays beside them notices nothing."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import httpx
import psycopg
import pytest

from services.embedded import Deployment
from services.verifier.room import PATIENCE, Room
from shared.ops.http import STALLED_SECONDS
from tests.system.doors import Doors, refused, stored

pytestmark = pytest.mark.slow

HUNDRED = 100
DEAF = 48
"""Streams that are opened and never read."""
BUFFERED = 256 * 1024
"""Bytes that one of them may cost the process at most."""


def address(sietch: Deployment) -> tuple[str, int]:
    host, _, port = sietch.replica_urls("room")[0].removeprefix("http://").partition(":")
    return host, int(port)


async def said(sietch: Deployment, *parts: bytes, pause: float = 0.0, ends: bool = False) -> bytes:
    """Send the parts on a connection of their own, and return all that came until the other side closed it."""
    reader, writer = await asyncio.open_connection(*address(sietch))

    async def send() -> None:
        with contextlib.suppress(ConnectionError):
            for part in parts:
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(pause)
            if ends:
                writer.write_eof()

    sending = asyncio.create_task(send())
    try:
        return await asyncio.wait_for(reader.read(), PATIENCE)
    except ConnectionError:
        return b""
    finally:
        sending.cancel()
        writer.close()


async def first_line(sietch: Deployment, raw: bytes) -> bytes:
    """Send it on a connection of its own; the first line that is answered."""
    reader, writer = await asyncio.open_connection(*address(sietch))
    writer.write(raw)
    try:
        return await asyncio.wait_for(reader.readline(), PATIENCE)
    finally:
        writer.close()


HEAD = b"POST /api/rooms HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
LAST = b"connection: close\r\n"


async def test_bodies_that_are_too_large_are_not_waited_for(deployment: Deployment) -> None:
    before = stored(deployment)
    huge = await said(deployment, HEAD + LAST + b"content-length: 999999999999\r\n\r\n{")
    assert huge.startswith(b"HTTP/1.1 413 ")
    chunk = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
    endless = await said(deployment, HEAD + LAST + b"transfer-encoding: chunked\r\n\r\n", *[chunk] * 400)
    assert endless.startswith(b"HTTP/1.1 413 ") or endless == b""  # cut off in the middle of what it sends
    assert stored(deployment) == before


async def test_what_only_reads_takes_no_body(deployment: Deployment) -> None:
    """A stream that took one in would do so for as long as it lasts."""
    with Room(deployment.url, seats=2) as room:
        path = f"{room.path}/stream"
    for target in (path, f"{path}?after=3", "/api/limits", "/", "/api/nothing"):
        for method in ("GET", "HEAD"):
            head = f"{method} {target} HTTP/1.1\r\nhost: x\r\n".encode()
            for body in (b"transfer-encoding: chunked\r\n\r\n4000\r\n", b"content-length: 99999999\r\n\r\n"):
                heard = await first_line(deployment, head + body + b" " * 0x4000)
                assert heard.startswith(b"HTTP/1.1 400 "), (method, target, heard)
    none = f"GET {path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n".encode()
    assert (await first_line(deployment, none)).startswith(b"HTTP/1.1 200 ")


STRANGE = {
    "two lengths": HEAD + b"content-length: 2\r\ncontent-length: 30\r\n\r\n{}",
    "a length and chunks": HEAD
    + b"content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "a negative length": HEAD + b"content-length: -1\r\n\r\n{}",
    "a length in words": HEAD + b"content-length: two\r\n\r\n{}",
    "a chunk of no size": HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n",
    "an encoding nobody knows": HEAD + b"transfer-encoding: cow\r\n\r\n{}",
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "another protocol": b"CONNECT {}\r\n\r\n",
    "a header with a NUL": b"GET /api/limits HTTP/1.1\r\nhost: x\r\nx: a\x00b\r\n\r\n",
    "a header folded": b"GET /api/limits HTTP/1.1\r\nhost: x\r\nx: a\r\n b\r\n\r\n",
    "a head too large": b"GET /api/limits HTTP/1.1\r\nhost: x\r\n" + (b"x: " + b"y" * 7000 + b"\r\n") * 20,
    "an upgrade": b"GET /api/limits HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
    b"sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-version: 13\r\n\r\n",
}


NOT_REFUSED = {"a head too large": b"", "an upgrade": b"200"}
"""What is cut off in the middle of what it sends, and what is answered as if nothing else had been asked for."""


async def test_requests_that_are_none(deployment: Deployment) -> None:
    before = stored(deployment)
    for what, raw in STRANGE.items():
        heard = await said(deployment, raw, ends=True)
        assert heard[9:12] == NOT_REFUSED.get(what, b"400"), (what, heard[:200])
        assert heard.count(b"HTTP/1.1 ") == bool(heard), what
        assert b"server:" not in heard.lower()
    assert stored(deployment) == before


async def test_who_trickles_is_let_go_and_delays_nobody(deployment: Deployment) -> None:
    """A hundred that never finish their head, a hundred that never finish their body; others are served meanwhile."""
    before = stored(deployment)
    body = HEAD + b"content-length: 1000\r\n\r\n"
    line = b"x: y\r\n"
    heads = [asyncio.create_task(said(deployment, HEAD, *[line] * 400, pause=0.25)) for _ in range(HUNDRED)]
    bodies = [asyncio.create_task(said(deployment, body, *[b" "] * 400, pause=0.25)) for _ in range(HUNDRED)]
    served = 0
    async with Doors(deployment) as doors:
        while not any(task.done() for task in (*heads, *bodies)):
            assert (await doors.call(0, "GET", "/limits")).status_code == 200
            served += 1
            await asyncio.sleep(0.1)
    assert served >= 5, "while nobody was let go, others were served"
    assert {await task for task in heads} == {b""}
    assert {(await task)[:12] for task in bodies} == {b"HTTP/1.1 408"}
    assert stored(deployment) == before


def memory_of(sietch: Deployment, service: str) -> int:
    """Bytes that a service's first process holds in memory."""
    pid = sietch.children[service][0].pid
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096


async def open_deaf(sietch: Deployment, code: str) -> socket.socket:
    """A stream whose client takes as little as a client can."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(made, address(sietch))
    request = f"GET /api/rooms/{code}/stream HTTP/1.1\r\nhost: x\r\naccept: application/x-ndjson\r\n\r\n"
    await loop.sock_sendall(made, request.encode())
    return made


async def test_streams_that_nobody_reads(deployment: Deployment) -> None:
    """Their backlog is bounded, a reader beside them misses nothing, and one that reads at last is not left behind."""
    with Room(deployment.url, seats=4, last_turn=10) as room:
        for faction in ("atreides", "emperor", "fremen", "guild"):
            room.add_bot(faction, "random")
        deaf = [await open_deaf(deployment, room.code) for _ in range(DEAF)]
        await asyncio.sleep(0.5)
        before = memory_of(deployment, "room")
        began = time.monotonic()
        reading = asyncio.create_task(read_to_the_end(room))
        await asyncio.to_thread(room.start, 12)
        sent = await asyncio.wait_for(reading, 240)
        grown = memory_of(deployment, "room") - before
        assert sent > 100_000, "that was no game"
        assert grown < DEAF * BUFFERED, f"{grown} bytes more after {sent} bytes for each reader"
        last = room.whole()["seq"]
        caught_up = await asyncio.to_thread(catch_up, deaf[0], last)
        # Who takes nothing at all for so long is cut off; before that, whoever reads at last gets all that is newest.
        cut_off = caught_up is None and time.monotonic() - began > STALLED_SECONDS
        assert cut_off or caught_up == last
        for one in deaf:
            one.close()


async def read_to_the_end(room: Room) -> int:
    """Follow as a spectator until there is a result, changes without a gap; returns how many bytes came."""
    seq, size = 0, 0
    async with httpx.AsyncClient(base_url=str(room.client.base_url), timeout=60) as client:
        headers = {"accept": "application/x-ndjson"}
        async with client.stream("GET", f"{room.path}/stream", headers=headers) as stream:
            async for line in stream.aiter_lines():
                size += len(line)
                frame = json.loads(line) if line else {}
                if frame.get("event") in ("view", "changed"):
                    data = frame["data"]
                    assert frame["event"] == "view" or data["seq"] == seq + 1
                    seq = data["seq"]
                    if data.get("view", data.get("patch", {})).get("result"):
                        return size
    raise AssertionError("the stream ended before the game")


def catch_up(deaf: socket.socket, last: int) -> int | None:
    """Read a stream that was never read until this frame, and return its number; None if it was cut off before."""
    deaf.settimeout(PATIENCE)
    raw, seqs = b"", [0]
    try:
        while seqs[-1] < last and (found := deaf.recv(1 << 20)):
            *whole, raw = (raw + found).split(b"\n")
            seqs += filter(None, map(_number, whole))
    except ConnectionError:
        return None
    assert seqs == sorted(seqs)
    return seqs[-1] if seqs[-1] >= last else None


def _number(line: bytes) -> int | None:
    """The number of a view or a change, in a line of a chunked body; None for any other."""
    if not line.startswith(b'{"event":'):
        return None
    frame = json.loads(line)
    return int(frame["data"]["seq"]) if frame["event"] in ("view", "changed") else None


@pytest.fixture
def limited(own_deployment: Callable[..., Deployment]) -> Deployment:
    """With the rate limits that users meet."""
    return own_deployment(env={"SIETCH_RATE_FACTOR": "1"}, replicas={"room": 2})


async def join_at_once(sietch: Deployment, code: str, times: int) -> Counter[int]:
    """So many at once, over at most 64 connections to each door; every answer is a seat or a clear refusal."""
    async with Doors(sietch) as doors:

        async def join(n: int) -> httpx.Response:
            while True:  # a busy machine asks to come again
                reply = await doors.call(n, "POST", f"/rooms/{code}/seats", {"name": f"P{n}"})
                if reply.status_code != 503:
                    return reply
                refused(reply, 503)

        replies = await asyncio.gather(*map(join, range(times)))
    seats = [reply.json()["seat"] for reply in replies if reply.status_code == 201]
    assert len(seats) == len(set(seats))
    for reply in replies:
        assert reply.status_code == 201 or refused(reply, 409, 429) in ("full", "too_many")
    return Counter(reply.status_code for reply in replies)


def sitting(sietch: Deployment, code: str) -> tuple[int, int]:
    """How many seats of a room are taken, and how many tokens of seats it has."""
    query = (
        "SELECT (SELECT count(*) FROM seats WHERE room = rooms.id AND kind = 'person'), "
        "(SELECT count(*) FROM tokens WHERE room = rooms.id AND seat IS NOT NULL) FROM rooms WHERE code = %s"
    )
    with psycopg.connect(sietch.database_url) as connection:
        row = connection.execute(query, (code,)).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])


async def test_joins_without_limits(deployment: Deployment) -> None:
    with Room(deployment.url, seats=6) as room:
        assert await join_at_once(deployment, room.code, 200) == {201: 6, 409: 194}
        assert sitting(deployment, room.code) == (6, 6)


async def test_a_thousand_joins_against_the_limits(limited: Deployment) -> None:
    with Room(limited.url, seats=6) as room:
        told = await join_at_once(limited, room.code, 10 * HUNDRED)
        assert told[201] == 6
        assert told[429] > 800, "whoever floods is told to wait"
        assert sitting(limited, room.code) == (6, 6)
        # Who plays has limits of their own.
        assert room.client.get(room.path, headers={"authorization": f"Bearer {room.host}"}).status_code == 200
