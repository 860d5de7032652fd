"""What a deployment told its clients, to be held against its store afterwards: answers, refusals, views by number."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import msgspec
from msgspec import Struct

from shared.wire.chain import canonical

__all__ = ["Promised", "Promises", "Shown", "digest"]


class Shown(Struct, frozen=True):
    """A whole view that an audience was shown: its number, and the digest of its canonical JSON."""

    audience: str
    seq: int
    digest: str


class Promised(Struct):
    """What was told in one room. `accepted` and `refused`: command ids, each with the faction that sent it."""

    code: str
    accepted: dict[str, str] = {}
    refused: dict[str, str] = {}
    shown: list[Shown] = []
    finished: bool = False


class Promises:
    """All rooms of a run, from any thread."""

    def __init__(self) -> None:
        self._rooms: dict[str, Promised] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """How many rooms something was promised in."""
        return len(self._rooms)

    @property
    def rooms(self) -> list[Promised]:
        """Everything, room by room."""
        return list(self._rooms.values())

    def accepted(self, code: str, command: str, seat: str) -> None:
        """A command was answered with 200."""
        with self._lock:
            self._room(code).accepted[command] = seat

    def refused(self, code: str, command: str, seat: str) -> None:
        """A command was refused as such (409 stale, 422): nothing may be stored under its id."""
        with self._lock:
            self._room(code).refused[command] = seat

    def shown(self, code: str, audience: str, seq: int, view: bytes) -> None:
        """An audience was told its whole view."""
        with self._lock:
            self._room(code).shown.append(Shown(audience, seq, digest(view)))

    def finished(self, code: str) -> None:
        """A game was said to be over."""
        with self._lock:
            self._room(code).finished = True

    def write(self, path: Path) -> None:
        """Keep them for `sietch verify store --promises`."""
        path.write_bytes(msgspec.json.encode(self.rooms) + b"\n")

    @staticmethod
    def read(path: Path) -> list[Promised]:
        """What was kept. Raises OSError, msgspec.DecodeError."""
        return msgspec.json.decode(path.read_bytes(), type=list[Promised])

    def _room(self, code: str) -> Promised:
        if code not in self._rooms:
            self._rooms[code] = Promised(code, {}, {}, [])
        return self._rooms[code]


def digest(view: bytes) -> str:
    """Equal for equal views, whatever the order of their keys."""
    return hashlib.sha256(canonical(view)).hexdigest()
