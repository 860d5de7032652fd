"""The HTTP server: clients that never finish the head of a request or read no reply are let go, others are served."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from shared.ops import http
from shared.ops.drain import Drain
from shared.ops.health import Health, ops_app
from shared.ops.http import bind, serve_http
from tests.waiting import PATIENCE, on_time, until

REQUEST = b"GET /livez HTTP/1.1\r\nhost: x\r\n\r\n"


@pytest.fixture
async def port(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    monkeypatch.setattr(http, "HEAD_SECONDS", 0.3)
    drain = Drain()
    sock = bind("127.0.0.1", 0)
    number = sock.getsockname()[1]
    task = asyncio.create_task(serve_http(ops_app(Health()), drain, kind="ops", fd=sock.detach()))
    yield number
    drain.ask()
    await task


async def talk(port: int, *parts: bytes, pause: float = 0.1) -> bytes:
    """Send the parts with pauses, and return what came until the server closed the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def send() -> None:
        for part in parts:
            writer.write(part)
            await asyncio.sleep(pause)

    sending = asyncio.create_task(send())
    try:
        async with asyncio.timeout(PATIENCE):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        sending.cancel()
        writer.close()


async def test_a_head_that_does_not_end_is_not_waited_for(port: int) -> None:
    assert await talk(port) == b""
    assert await talk(port, b"GET /livez HTTP/1.1\r\n", *[b"x: y\r\n"] * 100) == b""


async def test_who_is_gone_without_a_word_is_let_go_with_what_was_sent_to_them() -> None:
    """Their stream would else count as open for a quarter of an hour. Nothing here can vanish: the system is asked."""
    drain, sock = Drain(), bind("127.0.0.1", 0)
    twin = sock.dup()
    task = asyncio.create_task(serve_http(ops_app(Health()), drain, kind="ops", fd=sock.detach()))
    while not twin.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT):
        await asyncio.sleep(0.01)
    drain.ask()
    await task
    twin.setblocking(True)
    with socket.create_connection(twin.getsockname()), twin.accept()[0] as accepted, twin:
        assert 15_000 < accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) < 60_000


async def test_a_head_that_grows_and_grows_is_cut_off(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "HEAD_SECONDS", 60.0)
    line = b"x: " + b"y" * 8000 + b"\r\n"
    assert await talk(port, b"GET /livez HTTP/1.1\r\n", *[line] * 40, pause=0.01) == b""


async def lasting(scope: Any, receive: Any, send: Any) -> None:
    """An answer that begins at once and lasts until its reader leaves; to a POST, one that waits for its body."""
    if scope["method"] == "POST":
        while (await receive()).get("more_body"):
            pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"here", "more_body": scope["method"] == "GET"})
    while scope["method"] == "GET" and (await receive())["type"] != "http.disconnect":
        pass


@pytest.fixture
async def lasting_port() -> AsyncIterator[int]:
    drain = Drain()
    sock = bind("127.0.0.1", 0)
    number = sock.getsockname()[1]
    task = asyncio.create_task(serve_http(lasting, drain, kind="ops", fd=sock.detach()))
    yield number
    drain.ask()
    await task


CHUNKED = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
ENDLESS = {
    "headers of a second request": (REQUEST + b"GET / HTTP/1.1\r\n", b"x: y\r\n" * 1500),
    "a header of a second request": (REQUEST + b"GET / HTTP/1.1\r\nx: ", b"y" * 9000),
    "the address of a second request": (REQUEST + b"GET /", b"y" * 9000),
    "trailers": (CHUNKED + b"2\r\n{}\r\n0\r\n", b"x: y\r\n" * 1500),
    "a trailer": (CHUNKED + b"2\r\n{}\r\n0\r\nx: ", b"y" * 9000),
    "what frames a chunk": (CHUNKED + b"2;x=", b"y" * 9000),
}
"""What a client may send without an end while a request is being answered, and is no part of any body."""


@pytest.mark.parametrize("what", ENDLESS)
async def test_what_has_no_end_beside_a_request_is_cut_off(lasting_port: int, what: str) -> None:
    first, part = ENDLESS[what]
    await talk(lasting_port, first, *[part] * 40, pause=0.005)  # TimeoutError if it is not closed


async def test_who_leaves_with_a_second_request_behind_the_first_is_gone_for_both() -> None:
    gone: list[str] = []

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        await lasting(scope, receive, send)
        gone.append(scope["path"])

    drain, sock = Drain(), bind("127.0.0.1", 0)
    number = sock.getsockname()[1]
    task = asyncio.create_task(serve_http(noting, drain, kind="ops", fd=sock.detach()))
    reader, writer = await asyncio.open_connection("127.0.0.1", number)
    writer.write(REQUEST * 2)
    assert await reader.readuntil(b"here")
    writer.close()
    await until(lambda: gone, "word that it left")
    drain.ask()
    await task
    assert gone == ["/livez"], "the second one was never begun"


async def test_a_long_body_and_many_requests_are_not_cut_off(lasting_port: int) -> None:
    body = b"".join(b"64\r\n" + b"z" * 100 + b"\r\n" for _ in range(3000)) + b"0\r\n\r\n"
    heads = REQUEST.replace(b"GET", b"POST")[:-2] + b"x: " + b"y" * 9000 + b"\r\ncontent-length: 0\r\n\r\n"
    last = CHUNKED[:-2] + b"connection: close\r\n\r\n"
    heard = await talk(
        lasting_port, CHUNKED + body, *[heads] * 20, last, body[:90_000], body[90_000:], pause=0.01
    )
    assert heard.count(b"HTTP/1.1 200") == 22


async def test_what_comes_in_time_is_answered_again_and_again(port: int) -> None:

    async def answered() -> None:
        one = await talk(port, REQUEST[:20], REQUEST[20:-2] + b"connection: close\r\n\r\n")
        assert one.startswith(b"HTTP/1.1 200")
        # A second request on the same connection has its own time, and so has the third, which never ends.
        kept = await talk(port, REQUEST, REQUEST[:9], REQUEST[9:], REQUEST[:9], *[b"a"] * 600, pause=0.15)
        assert kept.count(b"HTTP/1.1 200") == 2

    await on_time(answered, 0.05)


async def test_who_does_not_read_is_cut_off_and_who_reads_slowly_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "STALLED_SECONDS", 0.4)
    gone: list[bytes] = []

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await receive()
        left = asyncio.create_task(receive())
        while not left.done():
            await send({"type": "http.response.body", "body": bytes(65536), "more_body": True})
            await asyncio.sleep(0)
        gone.append(scope["raw_path"])

    async def read_slowly() -> None:
        gone.clear()
        drain, sock, loop = Drain(), bind("127.0.0.1", 0), asyncio.get_running_loop()
        address = sock.getsockname()
        task = asyncio.create_task(serve_http(endless, drain, kind="ops", fd=sock.detach()))
        try:
            with socket.socket() as deaf, socket.socket() as slow:
                for one, path in ((deaf, b"/deaf"), (slow, b"/slow")):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
                    one.setblocking(False)
                    await loop.sock_connect(one, address)
                    await loop.sock_sendall(one, REQUEST.replace(b"/livez", path))
                for _ in range(24):
                    assert await loop.sock_recv(slow, 262_144)
                    await asyncio.sleep(0.05)
                assert gone == [b"/deaf"]
        finally:
            drain.ask()
            await task

    await on_time(read_slowly, 0.1)
