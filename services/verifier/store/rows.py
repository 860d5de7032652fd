"""What is kept beside a room's events and follows from them: open offers, seats, tokens, deadlines, read models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec

from services.verifier.store.census import Connection
from shared.dune.offers import Checkpoint
from shared.dune.table import Result, Table

__all__ = ["beside"]

BEHIND_SECONDS = 60
"""How long a read model may be behind the events: it is written after them, and again after a fault."""

_ROOM = """
SELECT state, scenario, settings, version, open, bot_waits, published, settled, result,
    updated_at < now() - make_interval(secs => %s) FROM rooms WHERE id = %s"""
_SEATS = "SELECT seat, kind, faction, position FROM seats WHERE room = %s ORDER BY position, seat"
_TOKENS = "SELECT seat, scope FROM tokens WHERE room = %s AND revoked_at IS NULL"
_DEADLINES = "SELECT seat, offer, opened FROM deadlines WHERE room = %s"
_MISNAMED = """
SELECT DISTINCT version FROM events WHERE room = %s AND type IS DISTINCT FROM coalesce(body ->> 'event', '')"""
_OUTCOMES = "SELECT version FROM commits WHERE room = %s AND outcome IS DISTINCT FROM '{\"ok\": true}'::jsonb"
_PROGRESS = "SELECT version, turn, phase, result FROM room_progress WHERE room = %s"

Fault = tuple[int, str]


def beside(
    connection: Connection,
    room: UUID,
    table: Table | None,
    checkpoint: Checkpoint,
    phases: dict[int, tuple[int, str]],
) -> Iterator[Fault]:
    """Everything that does not follow from the events. `table` and `checkpoint` are the newest (no table: a lobby);
    `phases` has turn and phase after each version."""
    row = connection.execute(_ROOM, (BEHIND_SECONDS, room)).fetchone()
    if row is None:
        return
    state, scenario, settings, version, open_, bot_waits, published, settled, result, still = row
    seats = connection.execute(_SEATS, (room,)).fetchall()
    yield from _seated(settings, seats, table)
    yield from _keys(connection, room, {seat for seat, *_ in seats})
    bots = {faction for _, kind, faction, _ in seats if kind == "bot"}
    asked = {
        (offer.seat, offer.id, offer.kind, offer.clock)
        for offer in checkpoint.open
        if offer.committed is None
    }
    if {(one["seat"], one["offer"], one["kind"], one["clock"]) for one in open_} != asked:
        yield 0, "the room's open offers are not those of its last commit"
    if state != "lobby" and bot_waits != any(seat in bots for seat, *_ in asked):
        yield 0, "whether a bot is waited for is not what the open offers say"
    wanted = None if table is None or table.result is None else _as_json(table.result)
    if result != wanted:
        yield 0, "the room's result is not that of its events"
    if published > version:
        yield 0, f"version {published} was published, the room stands at {version}"
    if settled and state != "lobby" and not (state == "finished" and published == version):
        yield 0, "the room is settled before it is finished and published"
    yield from _clocks(connection, room, settings, version, asked)
    yield from (
        (at, "an event's type is not what its body says") for (at,) in connection.execute(_MISNAMED, (room,))
    )
    yield from ((at, "the stored outcome is none") for (at,) in connection.execute(_OUTCOMES, (room,)))
    if table is not None and not scenario:
        yield from _progress(connection, room, phases, wanted, bool(still))


def _as_json(result: Result) -> Any:
    return msgspec.json.decode(msgspec.json.encode(result))


def _seated(settings: dict[str, Any], seats: list[tuple[Any, ...]], table: Table | None) -> Iterator[Fault]:
    if settings.get("seats") != len(seats):
        yield 0, f"the room is set for {settings.get('seats')} seats and has {len(seats)}"
    if table is not None:
        dealt = [faction for _, kind, faction, position in seats if kind != "open" and position is not None]
        if tuple(dealt) != table.seats:
            yield 0, "the seats' factions are not those that play"


def _keys(connection: Connection, room: UUID, seats: set[int]) -> Iterator[Fault]:
    tokens = connection.execute(_TOKENS, (room,)).fetchall()
    if (None, "room:host") not in tokens:
        yield 0, "the room has no host's token"
    for seat, scope in tokens:
        if (seat is None) != (scope == "room:host"):
            yield 0, f"a token of {'no seat' if seat is None else 'a seat'} is for {scope}"
        elif seat is not None and seat not in seats:
            yield 0, f"a valid token is for seat {seat}, which is not there"


def _clocks(
    connection: Connection,
    room: UUID,
    settings: dict[str, Any],
    version: int,
    asked: set[tuple[str, str, str, str]],
) -> Iterator[Fault]:
    clocks: dict[str, float] = (settings.get("clock") or {}).get("seconds", {})
    due = {(seat, offer): opened for seat, offer, opened in connection.execute(_DEADLINES, (room,))}
    if gone := due.keys() - {(seat, offer) for seat, offer, _, _ in asked}:
        yield 0, f"{len(gone)} deadlines are for offers that are not open"
    if any(not 0 < opened <= version for opened in due.values()):
        yield 0, "a deadline was opened by no commit of the room"
    missing = {(seat, offer) for seat, offer, _, clock in asked if clock in clocks} - due.keys()
    if missing:
        yield 0, f"{len(missing)} open offers with a clock have no deadline"


def _progress(
    connection: Connection, room: UUID, phases: dict[int, tuple[int, str]], result: Any, still: bool
) -> Iterator[Fault]:
    """The directory's row: true of the version that it names, and not behind for long."""
    known = connection.execute("SELECT to_regclass('room_progress')").fetchone()
    if known is None or known[0] is None:
        return
    row = connection.execute(_PROGRESS, (room,)).fetchone()
    newest = phases[max(phases)]
    if row is None:
        # Before the first turn begins there is nothing to tell.
        if still and newest[0] > 0:
            yield 0, "the directory knows nothing of how far the game is"
        return
    version, turn, phase, told = row
    if version not in phases:
        yield 0, f"the directory tells of version {version}, which is not there"
    elif (turn, phase) != phases[version]:
        yield version, f"the directory says turn {turn}, {phase}; the events say otherwise"
    if told is not None and told != result:
        yield 0, "the directory's result is not that of the events"
    if still and ((turn, phase) != newest or told != result):
        yield 0, "the directory is behind the events"
