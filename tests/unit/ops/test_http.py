"""The HTTP server: clients that never finish the head of a request are let go, others are served."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from shared.ops import http
from shared.ops.drain import Drain
from shared.ops.health import Health, ops_app
from shared.ops.http import bind, serve_http

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
        return await asyncio.wait_for(reader.read(), 8)
    except ConnectionError:
        return b""
    finally:
        sending.cancel()
        writer.close()


async def test_a_head_that_does_not_end_is_not_waited_for(port: int) -> None:
    assert await talk(port) == b""
    assert await talk(port, b"GET /livez HTTP/1.1\r\n", *[b"x: y\r\n"] * 100) == b""


async def test_a_head_that_grows_and_grows_is_cut_off(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "HEAD_SECONDS", 60.0)
    line = b"x: " + b"y" * 8000 + b"\r\n"
    assert await talk(port, b"GET /livez HTTP/1.1\r\n", *[line] * 40, pause=0.01) == b""


async def test_what_comes_in_time_is_answered_again_and_again(port: int) -> None:
    one = await talk(port, REQUEST[:20], REQUEST[20:-2] + b"connection: close\r\n\r\n")
    assert one.startswith(b"HTTP/1.1 200")
    # A second request on the same connection has its own time, and so has the third, which never ends.
    kept = await talk(port, REQUEST, REQUEST[:9], REQUEST[9:], REQUEST[:9], *[b"a"] * 60, pause=0.15)
    assert kept.count(b"HTTP/1.1 200") == 2
