"""Serving ASGI with uvicorn inside a process that owns its own signals and its own end.

Sockets: an inherited listening socket (`SIETCH_HTTP_FD`, so that replicas share one port and a restart refuses
nobody) and/or an own address. The ports that were bound are logged as `listening`; `sietch up` reads that line.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from shared.ops.drain import Drain
from shared.ops.logging import get_logger

log = get_logger("http")

# Streams that stay open after the drain was announced are cut after this many seconds.
GRACE_SECONDS = 5
HEAD_SECONDS = 10.0
"""How long a client may take until the head of its request is complete."""
HEAD_BYTES = 64 * 1024
"""How many bytes that head may have; and whatever else belongs to no body: trailers, what frames a chunk."""


STALLED_SECONDS = 30.0
"""How long a client may take nothing of what waits to be sent to it."""
VANISHED_MS = 45_000
"""Milliseconds for which what was sent may stay unconfirmed, where the system can be told so: whoever is gone without a
word (a phone, say) would else have open streams for a quarter of an hour. Heartbeats are what is sent."""
UNSENT_BYTES = 128 * 1024
"""How much the system keeps for a client that does not read, where it can be told so (by itself: some megabytes)."""


class _Protocol(HttpToolsProtocol):
    """uvicorn's, which would wait for ever: for the rest of a request's head, however long it grows (also of one that
    is sent while the answer to the one before lasts), and for a client that does not read what it is sent. And it
    tells only the newest request of a connection that its client is gone, not the one that is being answered."""

    _patience: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _answered: RequestResponseCycle | None = None
    _idle_bytes = 0
    """Bytes since the last of which anything came: the end of a head, a piece of a body, the end of a request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        self._idle_bytes += len(data)
        super().data_received(data)
        if self._idle_bytes > HEAD_BYTES:
            self._wait_no_more()
            self.transport.close()
        elif not self._in_head():
            self._wait_no_more()
        elif self._patience is None:
            self._wait()

    def on_headers_complete(self) -> None:
        self._idle_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self.cycle.response_complete:  # of what nobody reads any more, nothing comes
            self._idle_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._idle_bytes = 0
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        self._reads_again()
        super().connection_lost(exc)
        if self._answered is not None and not self._answered.response_complete:
            self._answered.disconnected = True
            self._answered.message_event.set()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reads_again()
        self._stalled = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        self._reads_again()
        super().resume_writing()

    def _reads_again(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _in_head(self) -> bool:
        """Whether the next request has not told all of its head yet."""
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self._patience = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _wait_no_more(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        # What arrived while this process had no time is read first: the fault is then not the client's.
        self._patience = self.loop.call_later(HEAD_SECONDS / 10, self._close)

    def _close(self) -> None:
        self._patience = None
        if self._in_head() and not self.transport.is_closing():
            self.transport.close()


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to Drain."""
        yield


def bind(host: str, port: int) -> socket.socket:
    """A listening TCP socket. Raises OSError with the address in its text."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
    except OSError as error:
        sock.close()
        raise OSError(error.errno, f"cannot listen on {host}:{port}: {error.strerror}") from error
    sock.listen(1024)
    sock.set_inheritable(False)
    return sock


async def serve_http(
    app: Any,  # any ASGI application
    drain: Drain,
    *,
    kind: str,
    host: str | None = None,
    port: int = 0,
    fd: int | None = None,
    **options: Any,  # handed to uvicorn.Config as they are
) -> None:
    """Serve `app` on host:port and/or the inherited socket `fd` until the drain is asked for; then close in peace.

    `kind` ("http" or "ops") is what the `listening` log line calls the port.
    """
    sockets = _listening(kind, host, port, fd)
    settings: dict[str, Any] = {
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "lifespan": "on" if kind == "http" else "off",
        "timeout_graceful_shutdown": GRACE_SECONDS,
        "ws": "none",
        "http": _Protocol,
    }
    server = _Server(uvicorn.Config(app, **(settings | options)))
    ender = asyncio.create_task(_end(server, drain))
    try:
        await server.serve(sockets=sockets)
    finally:
        ender.cancel()
        for sock in sockets:
            sock.close()


def _listening(kind: str, host: str | None, port: int, fd: int | None) -> list[socket.socket]:
    sockets = []
    if fd is not None:
        sockets.append(socket.socket(fileno=fd))
    if host is not None:
        own = bind(host, port)
        sockets.append(own)
        log.info("listening", kind=kind, host=host, port=own.getsockname()[1])
    if not sockets:
        raise ValueError("serve_http needs a host or an inherited socket")
    for listening in sockets:  # those that are accepted inherit it
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, VANISHED_MS)
    return sockets


async def _end(server: uvicorn.Server, drain: Drain) -> None:
    await drain.requested()
    server.should_exit = True
