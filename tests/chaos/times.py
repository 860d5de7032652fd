"""How long rooms stood still: read from the moments at which the store took their commits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg

IN_FLIGHT = 0.5
"""Seconds after a fault in which what was on its way may still be committed: the silence may begin only then."""
ACTIVE = 2.0
"""A room without a commit for that long before a fault was not going on anyhow, and is counted at its own fault."""


@dataclass(frozen=True)
class Struck:
    """One fault that happened: its kind, what exactly, when (Unix time)."""

    kind: str
    what: str
    at: float


@dataclass(frozen=True)
class Line:
    """One kind of fault: how often, how many rooms were seen through it, and their silences in seconds."""

    kind: str
    faults: int
    rooms: int
    p50: float
    p99: float
    most: float
    all_rooms: float
    """The median over the faults of the time until the last room went on."""


def moments(database_url: str, codes: Sequence[str]) -> dict[str, tuple[list[float], bool]]:
    """The moments of every commit of these rooms, and whether the room's game is over."""
    query = """
        SELECT r.code, r.finished, array_agg(extract(epoch FROM c.at)::float8 ORDER BY c.version)
        FROM rooms r JOIN commits c ON c.room = r.id WHERE r.code = ANY(%s) GROUP BY r.id"""
    with psycopg.connect(database_url) as connection:
        return {code: (at, over) for code, over, at in connection.execute(query, (list(codes),))}


def silence(commits: Sequence[float], over: bool, at: float) -> float | None:
    """Seconds from a fault (or the last commit that still got through) to the commit with which the room went on.

    The longest silence that was under way at the fault or began just after it; None for a room that was not running.
    """
    first = bisect_right(commits, at)
    if first == 0 or commits[first - 1] < at - ACTIVE:
        return None
    found: float | None = None
    for before, after in zip(commits[first - 1 :], commits[first:], strict=False):
        if before > at + IN_FLIGHT:
            return found
        found = max(found or 0.0, after - max(before, at))
    ended = over or commits[-1] > at + IN_FLIGHT
    return found if ended else float("inf")


def table(struck: Sequence[Struck], rooms: Mapping[str, tuple[list[float], bool]]) -> list[Line]:
    """The silences by kind of fault, in the order in which the kinds first came."""
    kinds: dict[str, list[list[float]]] = {}
    for fault in struck:
        waits = [silence(at, over, fault.at) for at, over in rooms.values()]
        kinds.setdefault(fault.kind, []).append([wait for wait in waits if wait is not None])
    return [_line(kind, faults) for kind, faults in sorted(kinds.items())]


def _line(kind: str, faults: list[list[float]]) -> Line:
    waits = sorted(wait for fault in faults for wait in fault)
    last = sorted(max(fault, default=0.0) for fault in faults)
    return Line(
        kind,
        len(faults),
        len(waits),
        percentile(waits, 0.5),
        percentile(waits, 0.99),
        waits[-1] if waits else 0.0,
        percentile(last, 0.5),
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the sorted values that `share` of them do not exceed; 0 for none."""
    return values[min(len(values) - 1, max(0, -int(-share * len(values) // 1) - 1))] if values else 0.0


def text(lines: Sequence[Line]) -> str:
    """The table for people."""
    head = f"{'fault':<34}{'faults':>7}{'rooms':>7}{'p50 s':>8}{'p99 s':>8}{'max s':>8}{'all go on s':>13}"
    rows = [
        f"{line.kind:<34}{line.faults:>7}{line.rooms:>7}{line.p50:>8.2f}{line.p99:>8.2f}{line.most:>8.2f}"
        f"{line.all_rooms:>13.2f}"
        for line in lines
    ]
    return "\n".join((head, *rows))
