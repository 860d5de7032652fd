"""The append: one statement, one round trip, and only if the room still stands at the expected version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import msgspec
from psycopg.errors import UniqueViolation

from shared.ops.database import Connection
from shared.wire.chain import canonical, link

# The bump locks the room's row and finds nothing when another command won the race, when the room's seats changed (for
# whom bots play is decided with them), or when the token was revoked:
# then nothing at all is inserted and the statement returns no row. Whoever knew the head from memory has looked for
# neither token nor command id before: the token is looked for here, and (room, command_id) is unique.
_APPEND = """
WITH bump AS (
    UPDATE rooms SET version = version + 1, hash = %(hash)s, open = %(open)s::jsonb, bot_waits = %(bot_waits)s,
        state = CASE WHEN %(finished)s THEN 'finished' ELSE 'running' END, settled = false,
        finished = %(finished)s, result = %(result)s::jsonb, turn = %(turn)s, phase = %(phase)s,
        updated_at = clock_timestamp()
    WHERE id = %(room)s AND version = %(expected)s AND (%(lobby)s::int IS NULL OR lobby = %(lobby)s)
      AND (%(token)s::bytea IS NULL OR EXISTS (
        SELECT FROM tokens WHERE tokens.hash = %(token)s AND tokens.room = %(room)s AND revoked_at IS NULL))
    RETURNING id, version
), commit_row AS (
    INSERT INTO commits
        (room, version, command_id, asked, seat, outcome, checkpoint, events, finished, prev_hash, hash)
    SELECT id, version, %(command_id)s, %(asked)s, %(seat)s, %(outcome)s::jsonb, %(checkpoint)s, %(count)s,
        %(finished)s, %(prev_hash)s, %(hash)s
    FROM bump
), event_rows AS (
    INSERT INTO events (room, version, index, type, body)
    SELECT bump.id, bump.version, fact.ord - 1, coalesce(fact.body ->> 'event', ''), fact.body
    FROM bump, jsonb_array_elements(%(events)s::jsonb) WITH ORDINALITY AS fact (body, ord)
)"""

_PLAIN = _APPEND + " SELECT version FROM bump"

# A staged table follows from no events: without it the first commit would be worth nothing, so they are stored as one.
_STAGED = (
    _APPEND
    + """, table_row AS (
    INSERT INTO snapshots (room, version, body) SELECT id, version, %(table)s FROM bump
)
SELECT version FROM bump"""
)

# With a clock, the deadlines follow the open offers: closed ones go, new ones come, others keep their moment.
_CLOCKED = (
    _APPEND
    + """, closed AS (
    DELETE FROM deadlines AS d USING bump
    WHERE d.room = bump.id AND NOT EXISTS (
        SELECT FROM unnest(%(seats)s::text[], %(offers)s::text[]) AS o (seat, offer)
        WHERE o.seat = d.seat AND o.offer = d.offer
    )
), opened AS (
    INSERT INTO deadlines (room, seat, offer, opened, due)
    SELECT bump.id, o.seat, o.offer, bump.version, clock_timestamp() + make_interval(secs => o.seconds)
    FROM bump, unnest(%(seats)s::text[], %(offers)s::text[], %(seconds)s::float8[]) AS o (seat, offer, seconds)
    ON CONFLICT (room, seat, offer) DO NOTHING
)
SELECT version FROM bump"""
)


COMMAND_KEY = "commits_room_command_id_key"
"""The constraint by which a command id is used once in a room."""


@dataclass(frozen=True, slots=True)
class OpenRow:
    """An open offer as the store keeps it: envelope only, and the seconds that its clock gives (None: no clock).

    `by`: the flow and the step that asked, for counting.
    """

    seat: str
    offer: str
    kind: str
    clock: str
    seconds: float | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class NewCommit:
    """One accepted command, ready to append on top of `expected`. `outcome` is what a repeat is answered with.

    `lobby`: the count of changes to the room's seats that `bot_waits` was worked out with (None: it hangs on none).
    `asked` is a digest of what the command asked for: the same id with another one is no repeat. `token` is the hash
    of the token that must be valid at this moment (None: the command came without one). `table` is a staged table,
    whose room has no clock. `turn` and `phase` are what the directory tells of the game.
    """

    room: UUID
    expected: int
    command_id: UUID
    seat: str
    events: Sequence[bytes]
    checkpoint: bytes
    prev_hash: bytes
    lobby: int | None = None
    asked: bytes = b""
    token: bytes | None = None
    outcome: bytes = b'{"ok":true}'
    open: Sequence[OpenRow] = ()
    bot_waits: bool = False
    finished: bool = False
    result: bytes | None = None
    turn: int = 0
    phase: str = ""
    clocked: bool = False
    table: bytes | None = None
    hash: bytes = field(init=False)
    canonical: list[bytes] = field(init=False)

    def __post_init__(self) -> None:
        """Fix the canonical events and the link of the chain."""
        events = [canonical(event) for event in self.events]
        object.__setattr__(self, "canonical", events)
        sum_ = link(self.prev_hash, self.room, self.expected + 1, self.command_id, events, self.checkpoint)
        object.__setattr__(self, "hash", sum_)


async def append(connection: Connection, commit: NewCommit) -> int | None:
    """Append one commit. Returns the new version; None when nothing was written.

    The room had moved on, its seats had changed, the token was revoked, or the command id was used before: read the
    room to know which.
    """
    try:
        cursor = await connection.execute(_statement(commit), _parameters(commit), prepare=True)
    except UniqueViolation as used:
        if used.diag.constraint_name != COMMAND_KEY:
            raise
        return None
    row = await cursor.fetchone()
    return None if row is None else int(row[0])


def _statement(commit: NewCommit) -> str:
    if commit.table is not None:
        return _STAGED
    return _CLOCKED if commit.clocked else _PLAIN


def _parameters(commit: NewCommit) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "room": commit.room,
        "expected": commit.expected,
        "lobby": commit.lobby,
        "command_id": commit.command_id,
        "asked": commit.asked,
        "token": commit.token,
        "seat": commit.seat,
        "outcome": commit.outcome.decode(),
        "checkpoint": commit.checkpoint,
        "count": len(commit.canonical),
        # One JSON array: the driver would quote each quotation mark of an array of texts.
        "events": (b"[" + b",".join(commit.canonical) + b"]").decode(),
        "finished": commit.finished,
        "result": None if commit.result is None else commit.result.decode(),
        "turn": commit.turn,
        "phase": commit.phase,
        "prev_hash": commit.prev_hash,
        "hash": commit.hash,
        "open": open_json(commit.open),
        "bot_waits": commit.bot_waits,
    }
    if commit.clocked:
        timed = [row for row in commit.open if row.seconds is not None]
        parameters["seats"] = [row.seat for row in timed]
        parameters["offers"] = [row.offer for row in timed]
        parameters["seconds"] = [row.seconds for row in timed]
    if commit.table is not None:
        parameters["table"] = commit.table
    return parameters


def open_json(rows: Sequence[OpenRow]) -> str:
    """The open offers as the JSON that `rooms.open` keeps."""
    return msgspec.json.encode(
        [{"seat": r.seat, "offer": r.offer, "kind": r.kind, "clock": r.clock, "by": r.by} for r in rows]
    ).decode()
