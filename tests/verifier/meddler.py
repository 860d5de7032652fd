"""A door in front of a deployment's door, that does something wrong on purpose: what a faulty deployment would do."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import msgspec

OF_A_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "host"}


@dataclass(frozen=True)
class Request:
    """What a client asks."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def token(self) -> str:
        """The bearer token; empty without one."""
        return self.headers.get("authorization", "").removeprefix("Bearer ")


@dataclass(frozen=True)
class Reply:
    """What it is answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body decoded; None if it is no JSON."""
        try:
            return msgspec.json.decode(self.body)
        except msgspec.DecodeError:
            return None

    def says(self, status: int, body: object) -> Reply:
        """The same with another status and body."""
        return replace(self, status=status, body=msgspec.json.encode(body))


class Fault:
    """What is done wrong; this one does nothing. One fault is made anew for each run."""

    def ask(self, request: Request) -> Request | Reply:
        """The request that is handed on, or a reply without asking anybody."""
        return request

    def answer(self, request: Request, reply: Reply) -> Reply | Request:
        """The reply that is handed on, or another request to be asked instead."""
        return reply

    def frame(self, request: Request, line: bytes) -> bytes:
        """One line of a stream; empty: it is left out."""
        return line


@dataclass
class Meddler:
    """The door. Its fault can be changed while it is open."""

    url: str
    fault: Fault = field(default_factory=Fault)

    def __enter__(self) -> Self:
        meddler = self

        class Handler(_Handler):
            door = meddler

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"


class _Handler(BaseHTTPRequestHandler):
    door: Meddler
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _any(self) -> None:
        fault = self.door.fault
        length = int(self.headers.get("content-length", 0) or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, self.rfile.read(length))
        asked = fault.ask(request)
        if isinstance(asked, Reply):
            self._say(asked)
            return
        if "/stream" in asked.path and asked.method == "GET":
            self._stream(fault, asked)
            return
        answered = fault.answer(request, self._fetch(asked))
        self._say(self._fetch(answered) if isinstance(answered, Request) else answered)

    def _fetch(self, request: Request) -> Reply:
        link = self._open(request, 60)
        try:
            got = link.getresponse()
            body = got.read()
            return Reply(got.status, {name.lower(): value for name, value in got.getheaders()}, body)
        finally:
            link.close()

    def _open(self, request: Request, seconds: float) -> http.client.HTTPConnection:
        place = urlsplit(self.door.url)
        link = http.client.HTTPConnection(place.hostname or "", place.port, timeout=seconds)
        link.putrequest(request.method, request.path, skip_host=True, skip_accept_encoding=True)
        for name, value in request.headers.items():
            if name not in OF_A_HOP:
                link.putheader(name, value.encode("latin-1"))
        # The host of the door that was asked: the deployment's check of origins compares with it.
        link.putheader("host", request.headers.get("host", place.netloc))
        if request.body or request.method in ("POST", "PATCH", "PUT"):
            link.putheader("content-length", str(len(request.body)))
        link.endheaders(request.body or None)
        return link

    def _say(self, reply: Reply) -> None:
        self.send_response_only(reply.status)
        for name, value in reply.headers.items():
            if name not in OF_A_HOP:
                self.send_header(name, value)
        self.send_header("content-length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def _stream(self, fault: Fault, request: Request) -> None:
        link = self._open(request, 60)
        try:
            got = link.getresponse()
            if got.status != 200:
                body = got.read()
                self._say(Reply(got.status, {n.lower(): v for n, v in got.getheaders()}, body))
                return
            self.send_response_only(200)
            for name, value in got.getheaders():
                if name.lower() not in OF_A_HOP:
                    self.send_header(name, value)
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            while line := got.readline():
                self.wfile.write(fault.frame(request, line))
        except (ConnectionError, TimeoutError, http.client.HTTPException):
            self.close_connection = True
        finally:
            link.close()

    do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = do_OPTIONS = do_HEAD = do_TRACE = _any

    def log_message(self, *_: object) -> None:
        """Tests print what they find, not each request."""
