"""The thinnest client there is: one kept connection, blocking, so that what is measured is the server.

(An HTTP library of Python costs more per request than the server's whole work; both sides of the ratio would drown
in it.)
"""

from __future__ import annotations

import select
import socket
import time
from typing import Any
from urllib.parse import urlsplit

import msgspec


def connected(url: str) -> socket.socket:
    """A connection to the server of a URL, without Nagle's delay."""
    parts = urlsplit(url)
    link = socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 80), timeout=30)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return link


def request_bytes(method: str, path: str, body: bytes = b"", token: str = "") -> bytes:
    """One HTTP request as it goes over the wire."""
    head = f"{method} {path} HTTP/1.1\r\nhost: sietch\r\ncontent-length: {len(body)}\r\n"
    if body:
        head += "content-type: application/json\r\n"
    if token:
        head += f"authorization: Bearer {token}\r\n"
    return head.encode() + b"\r\n" + body


class Line:
    """One kept HTTP connection."""

    def __init__(self, url: str) -> None:
        self.link = connected(url)

    def send(self, request: bytes) -> None:
        """Send one request; its reply is read by `reply`."""
        self.link.sendall(request)

    def reply(self) -> tuple[int, bytes]:
        """Status and body of the reply."""
        data = b""
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self._more()
        head = data[:end].lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        while len(data) < end + 4 + length:
            data += self._more()
        return int(data[9:12]), data[end + 4 :]

    def _more(self) -> bytes:
        part = self.link.recv(65536)
        if not part:
            raise ConnectionError("the server closed the connection")
        return part

    def call(self, method: str, path: str, body: object = None, token: str = "") -> Any:
        """One request with its reply decoded. Raises RuntimeError for a refusal."""
        raw = b"" if body is None else msgspec.json.encode(body)
        self.send(request_bytes(method, path, raw, token))
        status, text = self.reply()
        if status >= 400:
            raise RuntimeError(f"{method} {path}: {status} {text.decode()}")
        return msgspec.json.decode(text)

    def close(self) -> None:
        """Close the connection."""
        self.link.close()


class Follower:
    """One open stream of JSON lines; it reads what came, and knows when the newest line came."""

    def __init__(self, url: str, path: str, token: str = "") -> None:
        self.link = connected(url)
        ask = request_bytes("GET", path, b"", token)
        self.link.sendall(ask.replace(b"\r\n", b"\r\naccept: application/x-ndjson\r\n", 1))
        self.link.settimeout(0.0)
        self.seen = 0
        self._rest = b""

    def read(self) -> int:
        """Take what has come. Returns how many changes (or whole views) that were."""
        try:
            part = self.link.recv(1 << 20)
        except BlockingIOError:
            return 0
        if not part:
            raise ConnectionError("the stream ended")
        *lines, self._rest = (self._rest + part).split(b"\n")
        new = sum(line.startswith((b'{"event":"changed"', b'{"event":"view"')) for line in lines)
        self.seen += new
        return new

    def close(self) -> None:
        """Close the stream."""
        self.link.close()


def until_seen(follower: Follower, more: int, seconds: float = 5.0) -> float:
    """Wait until `more` further lines have come; the moment (perf_counter) of the last. Else TimeoutError."""
    deadline = time.perf_counter() + seconds
    while more > 0:
        select.select([follower.link], [], [], max(0.0, deadline - time.perf_counter()))
        more -= follower.read()
        if more > 0 and time.perf_counter() > deadline:
            raise TimeoutError("the stream did not show the change")
    return time.perf_counter()


def post_and_watch(line: Line, request: bytes, follower: Follower | None) -> tuple[int, float, float | None]:
    """Post an action; status, seconds to the answer, and seconds until the follower was shown it (if there is one)."""
    started = time.perf_counter()
    line.send(request)
    if follower is None:
        status, _ = line.reply()
        return status, time.perf_counter() - started, None
    answered: float | None = None
    shown: float | None = None
    status = 0
    while answered is None or shown is None:
        ready, _, _ = select.select([line.link, follower.link], [], [], 5.0)
        if not ready:
            raise TimeoutError("no answer, or the stream did not show the change")
        if line.link in ready:
            status, _ = line.reply()
            answered = time.perf_counter() - started
            if status >= 400:
                return status, answered, None
        if follower.link in ready and follower.read():
            shown = time.perf_counter() - started
    return status, answered, shown
