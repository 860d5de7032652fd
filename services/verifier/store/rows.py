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

_ROOM = """
SELECT state, settings, version, open, bot_waits, published, settled, result, turn, phase
FROM rooms WHERE id = %s"""
_SEATS = "SELECT seat, kind, faction, position, policy FROM seats WHERE room = %s ORDER BY position, seat"
_TOKENS = "SELECT seat, scope FROM tokens WHERE room = %s AND revoked_at IS NULL"
_DEADLINES = "SELECT seat, offer, opened FROM deadlines WHERE room = %s"
_MISNAMED = """
SELECT DISTINCT version FROM events WHERE room = %s AND type IS DISTINCT FROM coalesce(body ->> 'event', '')"""
_OUTCOMES = "SELECT version FROM commits WHERE room = %s AND outcome IS DISTINCT FROM '{\"ok\": true}'::jsonb"

Fault = tuple[int, str]


def beside(
    connection: Connection, room: UUID, table: Table | None, checkpoint: Checkpoint
) -> Iterator[Fault]:
    """What does not follow from the events. `table` and `checkpoint` are the newest (no table: a lobby)."""
    row = connection.execute(_ROOM, (room,)).fetchone()
    if row is None:
        return
    state, settings, version, open_, bot_waits, published, settled, result, turn, phase = row
    seats = connection.execute(_SEATS, (room,)).fetchall()
    yield from _seated(settings, seats, table)
    yield from _keys(connection, room, {seat for seat, *_ in seats})
    bots = {faction for _, _, faction, _, policy in seats if policy is not None}
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
    # Empty in rooms that are older than the column.
    if table is not None and phase and (turn, phase) != (table.turn, table.phase):
        yield 0, f"the directory says turn {turn}, {phase}; the events say otherwise"
    if published > version:
        yield 0, f"version {published} was published, the room stands at {version}"
    if settled and state != "lobby" and not (state == "finished" and published == version):
        yield 0, "the room is settled before it is finished and published"
    yield from _clocks(connection, room, settings, version, asked)
    yield from (
        (at, "an event's type is not what its body says") for (at,) in connection.execute(_MISNAMED, (room,))
    )
    yield from ((at, "the stored outcome is none") for (at,) in connection.execute(_OUTCOMES, (room,)))


def _as_json(result: Result) -> Any:
    return msgspec.json.decode(msgspec.json.encode(result))


def _seated(settings: dict[str, Any], seats: list[tuple[Any, ...]], table: Table | None) -> Iterator[Fault]:
    if settings.get("seats") != len(seats):
        yield 0, f"the room is set for {settings.get('seats')} seats and has {len(seats)}"
    if table is not None:
        dealt = [
            faction for _, kind, faction, position, _ in seats if kind != "open" and position is not None
        ]
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
