"""What anybody is sent by a running deployment, byte for byte, and when it came."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import msgspec
from msgspec import Struct

SPECTATOR = "spectator"
HOST = "host"
NOBODY = "nobody"
"""Whoever reads logs, metrics and traces: nothing of a game belongs there."""
ENGINE = "engine"
"""The identities that must hear everything of a game (rules, room, projection), and still no token."""
BOTS = "bots"
"""What the bots' identity hears beside the views of its seats: tasks with the tokens for them."""


class Heard(Struct, frozen=True):
    """One thing that an audience was sent.

    `version`: how many commits there were when it had come; `seq` instead, where the thing itself carries a number.
    """

    audience: str
    channel: str
    where: str
    data: bytes
    version: int = 0
    seq: int | None = None
    headers: dict[str, str] = {}


class Recorder:
    """Keeps what was heard, in the order of hearing, from any thread."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self._lock = threading.Lock()

    def take(self, heard: Heard) -> None:
        """Keep one thing."""
        with self._lock:
            self.heard.append(heard)

    # ------------------------------------------------------------------ HTTP

    def listen(self, client: httpx.Client, who: Callable[[str], str], version: Callable[[], int]) -> None:
        """Keep every reply that a client gets; `who` names the audience of an Authorization header."""

        def keep(reply: httpx.Response) -> None:
            body = reply.read()
            audience = who(reply.request.headers.get("authorization", ""))
            where = f"{reply.request.method} {reply.request.url.raw_path.decode()} {reply.status_code}"
            channel = "page" if is_page(reply.request.url.path) else "http"
            seq = seq_of(body) if reply.request.url.path.endswith("/view") else None
            self.take(Heard(audience, channel, where, body, version(), seq, dict(reply.headers)))

        client.event_hooks["response"].append(keep)


def is_page(path: str) -> bool:
    """Whether a path is the same for everybody: pages, scripts and documents, which name every card."""
    return not path.startswith("/api/rooms") or path == "/api/openapi.json"


def decoded(data: bytes) -> Any:
    """The JSON of a body; None if it is none."""
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        return None


def seq_of(data: bytes) -> int | None:
    """The number that a view or a change carries."""
    body = decoded(data)
    found = body.get("seq") if isinstance(body, dict) else None
    return found if isinstance(found, int) else None


def lines_of(recorder: Recorder, channel: str, texts: Mapping[str, str]) -> None:
    """Keep texts (logs, metrics) line by line, by the name of where each lay."""
    for where, text in texts.items():
        for line in text.splitlines():
            recorder.take(Heard(NOBODY, channel, where, line.encode()))
