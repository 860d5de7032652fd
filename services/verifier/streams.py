"""One audience's stream, followed in the background: its frames as they come, and the view that they add up to."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import msgspec

from services.verifier.room import plain_client

__all__ = ["NDJSON", "SSE", "Ear", "apply_patch", "frames_of"]

NDJSON = "application/x-ndjson"
SSE = "text/event-stream"
SILENCE = 40.0
"""Seconds without a byte after which a stream is opened anew: it beats more often than that."""
AGAIN_SECONDS = 0.2

Frame = Callable[[str, bytes, dict[str, str]], None]
"""Hears the name of each frame, its data, and the headers of the stream that it came on."""


def apply_patch(before: Any, patch: Any) -> Any:
    """The value that a patch makes of another, as RFC 7386 says; by itself, so that it trusts nobody's code."""
    if not isinstance(patch, dict):
        return patch
    made = dict(before) if isinstance(before, dict) else {}
    for key, value in patch.items():
        if value is None:
            made.pop(key, None)
        else:
            made[key] = apply_patch(made.get(key), value)
    return made


def frames_of(lines: Iterator[str]) -> Iterator[tuple[str, bytes]]:
    """The frames of a stream of either kind: the name of each, and its data as it came."""
    event = ""
    for line in lines:
        if line.startswith("{"):
            name = line.split('"', 4)[3]
            yield name, line.removeprefix(f'{{"event":"{name}","data":').removesuffix("}").encode()
        elif line.startswith("event: "):
            event = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield event, line.removeprefix("data: ").encode()


class Ear:
    """Follows a stream in a thread of its own, from one connection to the next, until the game is over or it is left.

    `wrong` collects what no stream may do: a gap, a step back, a frame that is none.
    """

    def __init__(
        self, url: str, path: str, token: str, kind: str, heard: Frame = lambda event, data, headers: None
    ) -> None:
        self.wrong: list[str] = []
        self.view: Any = None
        self.seq = -1
        self.frames = 0
        self.over = False
        self._url, self._path, self._token, self._kind, self._heard = url, path, token, kind, heard
        self._left = False
        self._reply: httpx.Response | None = None
        self.changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def reach(self, seq: int, seconds: float) -> bool:
        """Wait until the number was heard; False when it did not come in time."""
        deadline = time.monotonic() + seconds
        with self.changed:
            while self.seq < seq and not self.wrong:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self.changed.wait(left)
        return True

    def state(self) -> tuple[int, Any]:
        """Number and view, of one moment."""
        with self.changed:
            return self.seq, self.view

    def leave(self, seconds: float = 2.0) -> None:
        """Close the stream, and return when nobody reads it any more."""
        self._left = True
        if self._reply is not None:
            stream = self._reply.extensions.get("network_stream")
            link = stream.get_extra_info("socket") if stream is not None else None
            if link is not None:
                with contextlib.suppress(OSError):
                    link.shutdown(socket.SHUT_RDWR)
        self._thread.join(seconds)

    def _run(self) -> None:
        while not (self._left or self.over):
            try:
                with plain_client(self._url, SILENCE) as client:
                    self._follow(client)
            except (httpx.HTTPError, httpx.StreamError, OSError):
                pass  # it is opened again, from the number that was heard last
            except Exception as wrong:  # noqa: BLE001 - told by whoever looks at `wrong`: nobody waits for this thread
                self._say(f"a frame that cannot be read: {type(wrong).__name__}")
                return
            if not (self._left or self.over):
                time.sleep(AGAIN_SECONDS)

    def _follow(self, client: httpx.Client) -> None:
        headers = {"accept": self._kind} | ({"authorization": f"Bearer {self._token}"} if self._token else {})
        after = {} if self.seq < 0 else {"after": str(self.seq)}
        with client.stream("GET", f"{self._path}/stream", headers=headers, params=after) as reply:
            if reply.status_code != 200:
                if reply.status_code not in (429, 502, 503, 504):
                    self._say(f"a stream was refused: {reply.status_code}")
                    self._left = True
                return
            self._reply = reply
            for event, data in frames_of(reply.iter_lines()):
                self._heard(event, data, dict(reply.headers))
                self._take(event, data)
                if self.over or self._left:
                    return

    def _take(self, event: str, data: bytes) -> None:
        self.frames += 1
        if event not in ("view", "changed"):
            return
        body = msgspec.json.decode(data)
        seq = body["seq"]
        with self.changed:
            if event == "changed":
                if seq != self.seq + 1:
                    self._say(f"change {seq} followed number {self.seq}")
                self.view = apply_patch(self.view, body["patch"])
            else:
                if seq < self.seq:
                    self._say(f"the whole view went back from number {self.seq} to {seq}")
                self.view = body["view"]
            self.seq = seq
            self.over = bool(self.view.get("result"))
            self.changed.notify_all()

    def _say(self, text: str) -> None:
        self.wrong.append(text)
        with self.changed:
            self.changed.notify_all()
