"""A room's latest events as each audience reads them: worded once for all who may see the same of an event."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache

import msgspec
from msgspec import Raw

from services.projection.store import RECENT_EVENTS
from shared.dune.events import Event, decode_event, part_of

__all__ = ["Log", "Telling"]


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


class _Stored:
    """An event as it lies in the store: read again whenever it is told."""

    __slots__ = ("body",)

    def __init__(self, body: bytes) -> None:
        self.body = body


@cache
def _reads_alike(kind: type[Event]) -> bool:
    """Whether every audience sees the same of such an event."""
    return not kind.private and kind.fields_for is Event.fields_for


class Log:
    """The latest events of a room, at most `RECENT_EVENTS`; those from the store are not read until somebody asks.

    Of an event that all read alike its line is kept, of others what was stored: a room is held hot for long.
    """

    def __init__(self, bodies: Iterable[bytes]) -> None:
        self._entries: deque[bytes | _Stored] = deque(map(_Stored, bodies), maxlen=RECENT_EVENTS)

    def add(self, told: Telling, body: bytes) -> None:
        """What has just happened, and how it is stored."""
        alike = _reads_alike(type(told.event))
        self._entries.append(bytes(told.line("") or b"") if alike else _Stored(body))

    def lines(self, audience: str) -> list[Raw]:
        """What an audience reads, oldest first."""
        return list(self._read(audience))

    def _read(self, audience: str) -> Iterator[Raw]:
        for number, entry in enumerate(self._entries):
            if isinstance(entry, _Stored):
                told = Telling(decode_event(entry.body))
                line = told.line(audience)
                if _reads_alike(type(told.event)):
                    self._entries[number] = bytes(line or b"")
                if line is not None:
                    yield line
            elif entry:
                yield Raw(entry)
