"""A client for thousands of connections at once that costs next to nothing: HTTP/1.1 by hand, on asyncio's protocols.

It speaks to our own server only: replies have a length, streams are JSON lines of which none is broken by a chunk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec

from tests.bench.client import request_bytes

__all__ = ["Caller", "Frame", "Refused", "Stream"]

PATIENCE = 30.0
"""Seconds for which a reply is waited for."""


class Refused(RuntimeError):
    """A request that was answered with a status of 400 or more."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status} {text}")
        self.status = status


class Caller(asyncio.Protocol):
    """One kept connection, made again when the server closed it; one request at a time."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._where = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._transport: asyncio.Transport | None = None
        self._reply: asyncio.Future[tuple[int, bytes]] | None = None
        self._data = b""

    async def send(self, request: bytes) -> tuple[int, bytes]:
        """Send one request; status and body of its reply. ConnectionError when the connection broke meanwhile."""
        loop = asyncio.get_running_loop()
        if self._transport is None or self._transport.is_closing():
            await loop.create_connection(lambda: self, *self._where)
        assert self._transport is not None
        self._reply = loop.create_future()
        self._transport.write(request)
        return await asyncio.wait_for(self._reply, PATIENCE)

    async def call(self, method: str, path: str, body: object = None, token: str = "") -> Any:
        """One request with its reply decoded. Raises `Refused`."""
        raw = b"" if body is None else msgspec.json.encode(body)
        status, text = await self.send(request_bytes(method, path, raw, token))
        if status >= 400:
            raise Refused(status, text.decode())
        return msgspec.json.decode(text)

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.close()

    # ------------------------------------------------------------------ asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self._data = cast(asyncio.Transport, transport), b""

    def data_received(self, data: bytes) -> None:
        self._data += data
        end = self._data.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._data[:end].lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(self._data) < end + 4 + length:
            return
        body, self._data = self._data[end + 4 : end + 4 + length], b""
        if self._reply is not None and not self._reply.done():
            self._reply.set_result((int(head[9:12]), body))

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(ConnectionError("the connection broke before the reply"))


class Patch(msgspec.Struct):
    """What of a view, or of its change, a load client looks at: its own questions (null: none), and the result."""

    offers: list[msgspec.Raw] | msgspec.UnsetType | None = msgspec.UNSET
    result: dict[str, object] | None = None


class Body(msgspec.Struct):
    """The data of a frame."""

    seq: int = -1
    patch: Patch | None = None
    view: Patch | None = None


class Frame(msgspec.Struct):
    """One line of a stream."""

    event: str
    data: Body


class Stream(asyncio.Protocol):
    """One open stream of JSON lines; each frame is handed on as it comes, in order. A frame is decoded once."""

    def __init__(self, on_frame: Callable[[Frame], None], on_end: Callable[[str], None]) -> None:
        self._on_frame = on_frame
        self._on_end = on_end
        self._transport: asyncio.Transport | None = None
        self._rest = b""
        self._request = b""
        self._headed = False
        self._closing = False
        self._decode = msgspec.json.Decoder(Frame).decode

    async def open(self, url: str, path: str, token: str = "") -> None:
        """Connect and ask."""
        parts = urlsplit(url)
        ask = request_bytes("GET", path, b"", token)
        self._request = ask.replace(b"\r\n", b"\r\naccept: application/x-ndjson\r\n", 1)
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: self, parts.hostname or "127.0.0.1", parts.port or 80)

    def close(self) -> None:
        """Close it; nothing is told any more."""
        self._closing = True
        if self._transport is not None:
            self._transport.close()

    # ------------------------------------------------------------------ asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if not self._headed:
            self._headed = True
            if data[9:12] != b"200":
                self._on_end(f"refused with {data[9:12].decode()}")
                self.close()
                return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b'{"event":'):
                self._on_frame(self._decode(line))

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._closing:
            self._on_end("ended by the server")
