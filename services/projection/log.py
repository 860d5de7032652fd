"""A room's latest events as each audience reads them: worded once for all who may see the same of an event."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterable
from functools import cache

import msgspec
from msgspec import Raw

from services.projection.store import RECENT_EVENTS
from shared.dune.events import Event, decode_event, part_of

__all__ = ["BLOCK", "Log", "Telling"]

BLOCK = 40
"""Events that are packed together. A room keeps at most twice as many as they are; more would be most of its memory."""
_TOLD, _STORED = b"=", b"?"
_BETWEEN = b"\0"
"""Between packed entries: no JSON holds it."""
_LEVEL = 1


class Telling:
    """One event, told to audiences: `line` is its part for one of them as JSON, None if it may see nothing of it."""

    __slots__ = ("_lines", "event")

    def __init__(self, event: Event) -> None:
        self.event = event
        self._lines: dict[tuple[str, ...], Raw] = {}

    def line(self, audience: str) -> Raw | None:
        """What this audience reads, with its sentence."""
        fields = self.event.fields_for(audience)
        if not fields:
            return None
        line = self._lines.get(fields)
        if line is None:
            line = self._lines[fields] = Raw(msgspec.json.encode(part_of(self.event, fields)))
        return line


@cache
def _reads_alike(kind: type[Event]) -> bool:
    """Whether every audience sees the same of such an event."""
    return not kind.private and kind.fields_for is Event.fields_for


class Log:
    """The latest events of a room, at most `RECENT_EVENTS`; those from the store are not read until somebody asks.

    Of an event that all read alike its line is kept, of others what was stored. A room is held hot for long and its log
    is read now and then, so all but the newest are kept packed.
    """

    def __init__(self, bodies: Iterable[bytes]) -> None:
        self._newest = [_STORED + body for body in bodies]
        self._packed: deque[bytes] = deque()

    def add(self, told: Telling, body: bytes) -> None:
        """What has just happened, and how it is stored."""
        alike = _reads_alike(type(told.event))
        self._newest.append(_TOLD + bytes(told.line("") or b"") if alike else _STORED + body)
        if len(self._newest) >= 2 * BLOCK:
            self._packed.append(_pack(self._newest[:BLOCK]))
            del self._newest[:BLOCK]
        if self._surplus() >= BLOCK:
            self._packed.popleft()

    def lines(self, audience: str) -> list[Raw]:
        """What an audience reads, oldest first."""
        found: list[Raw] = []
        first = max(0, self._surplus())
        for number, block in enumerate(self._packed):
            entries = _unpack(block)
            if _tell(entries, first, audience, found):
                self._packed[number] = _pack(entries)
            first = 0
        _tell(self._newest, 0, audience, found)
        return found

    def _surplus(self) -> int:
        return len(self._packed) * BLOCK + len(self._newest) - RECENT_EVENTS


def _tell(entries: list[bytes], first: int, audience: str, found: list[Raw]) -> bool:
    """Add what an audience reads of the entries from the `first` on. True if more of them are worded than before."""
    worded = False
    for number in range(first, len(entries)):
        entry = entries[number]
        if entry.startswith(_STORED):
            told = Telling(decode_event(entry[1:]))
            line = told.line(audience)
            if _reads_alike(type(told.event)):
                entries[number] = _TOLD + bytes(line or b"")
                worded = True
            if line is not None:
                found.append(line)
        elif len(entry) > 1:
            found.append(Raw(entry[1:]))
    return worded


def _pack(entries: list[bytes]) -> bytes:
    return zlib.compress(_BETWEEN.join(entries), _LEVEL)


def _unpack(block: bytes) -> list[bytes]:
    return zlib.decompress(block).split(_BETWEEN)
