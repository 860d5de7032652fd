"""What is counted of every message: how many, what became of them, how long it took; by subjects without rooms."""

from __future__ import annotations

import re
from functools import lru_cache

from shared.ops import metrics
from shared.ops.refs import room_ref
from shared.wire import subjects

HANDLED = metrics.Children(
    metrics.histogram(
        "bus_handled_seconds",
        "One message from NATS handled here, answered where it is a request (outcome: done, refused, failed)",
        ("subject", "outcome"),
    )
)
ASKED = metrics.Children(
    metrics.histogram(
        "bus_asked_seconds",
        "One request to another service (outcome: answered, nobody, late, down, failed, unreadable)",
        ("subject", "outcome"),
    )
)
PUBLISHED = metrics.Children(
    metrics.counter("bus_published", "Messages published (outcome: sent, failed)", ("subject", "outcome"))
)
RECONNECTED = metrics.counter("bus_reconnects", "Connections to NATS that were made again")
CONNECTED = metrics.gauge("bus_connected", "1 while the connection to NATS stands")


_ROOM = re.compile(r"[0-9a-f]{32}")
_PLAIN = frozenset(
    {
        subjects.RULES_DECIDE,
        subjects.RULES_CHECK,
        subjects.ROOM_ACT,
        subjects.ROOM_LOOK,
        subjects.PROJECTION_VIEW,
        subjects.PROJECTION_HERE,
    }
)
_VERBS = frozenset({"decide", "check", "view", "reach"})
_OF_ROOMS = {"commit": subjects.commit("*"), "view": subjects.view("*", "*"), "watch": subjects.interest("*")}
_OF_TWO = {"room.hint": subjects.ROOM_HINTS, "bot.task": subjects.bot_task("*")}


@lru_cache(maxsize=4096)
def pattern(subject: str) -> str:
    """A subject without the rooms, audiences and workers that it names, as labels and logs may show it."""
    if subject in _PLAIN:
        return subject
    first, *rest = subject.split(".")
    if first in _OF_ROOMS:
        return _OF_ROOMS[first]
    if rest and (known := _OF_TWO.get(f"{first}.{rest[0]}")):
        return known
    if first in ("rules", "projection") and rest[:1] == ["at"] and rest[-1] in _VERBS:
        return f"{first}.at.*.{rest[-1]}"
    return "other"


def room_of(subject: str) -> str | None:
    """The 32 hex digits of the room that a subject names; None if it names none."""
    return next((part for part in subject.split(".") if _ROOM.fullmatch(part)), None)


def told(subject: str) -> dict[str, str]:
    """The fields by which a log line names a subject: its pattern, and the ref of its room."""
    room = room_of(subject)
    fields = {"subject": pattern(subject)}
    return fields if room is None else {**fields, "room": room_ref(room)}
