"""Faults that are planted in a store, each with a word of what `sietch verify store` has to say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg

from shared.wire.chain import GENESIS, canonical, link

Connection = psycopg.Connection[Any]


@dataclass(frozen=True)
class RowPlant:
    """One fault in a room of a store; `needs_promises`: the store is sound, but not what clients were told."""

    what: str
    told: str
    do: Callable[[Connection, str], None]
    needs_promises: bool = False


def sql(*statements: str) -> Callable[[Connection, str], None]:
    """A plant that is said in SQL; `%(room)s` is the room."""

    def do(connection: Connection, room: str) -> None:
        for statement in statements:
            connection.execute(statement, {"room": room})

    return do


def forged(connection: Connection, room: str) -> None:
    """An event is altered, and every hash from there on made to fit again: only what clients were told can tell."""
    connection.execute(
        "UPDATE events SET body = jsonb_set(body, '{turn}', '9') WHERE room = %s AND type = 'TurnBegan' AND "
        "version = (SELECT max(version) FROM events WHERE room = %s AND type = 'TurnBegan')",
        (room, room),
    )
    tip = GENESIS
    rows = connection.execute(
        "SELECT version, command_id, checkpoint, ARRAY(SELECT body::text FROM events e WHERE e.room = c.room "
        "AND e.version = c.version ORDER BY index) FROM commits c WHERE room = %s ORDER BY version",
        (room,),
    ).fetchall()
    for version, command, checkpoint, bodies in rows:
        made = link(
            tip, UUID(room), version, command, [canonical(body) for body in bodies], bytes(checkpoint)
        )
        connection.execute(
            "UPDATE commits SET prev_hash = %s, hash = %s WHERE room = %s AND version = %s",
            (tip, made, room, version),
        )
        tip = made
    connection.execute("UPDATE rooms SET hash = %s, turn = 9 WHERE id = %s", (tip, room))
    connection.execute("DELETE FROM snapshots WHERE room = %s", (room,))


SET_BACK = (
    "DELETE FROM events WHERE room = %(room)s AND version = (SELECT version FROM rooms WHERE id = %(room)s)",
    "DELETE FROM commits WHERE room = %(room)s AND version = (SELECT version FROM rooms WHERE id = %(room)s)",
    "UPDATE rooms SET (version, hash, state, finished, result, settled, published, open) = (SELECT c.version, c.hash, "
    "'running', false, NULL::jsonb, false, c.version, (SELECT jsonb_agg(jsonb_build_object('seat', o ->> 'seat', "
    "'offer', o ->> 'id', 'kind', o ->> 'kind', 'clock', coalesce(o ->> 'clock', 'turn'))) FROM jsonb_array_elements("
    "convert_from(c.checkpoint, 'UTF8')::jsonb -> 'open') o WHERE o -> 'committed' IS NULL) FROM commits c "
    "WHERE c.room = %(room)s ORDER BY version DESC LIMIT 1) WHERE id = %(room)s",
    "DELETE FROM snapshots s USING rooms r WHERE r.id = s.room AND s.room = %(room)s AND s.version > r.version",
    *(
        f"UPDATE rooms SET {name} = (SELECT (body ->> '{name}')::{kind} FROM events WHERE room = %(room)s "
        f"AND type = '{event}' ORDER BY version DESC, index DESC LIMIT 1) WHERE id = %(room)s"
        for name, kind, event in (("turn", "int", "TurnBegan"), ("phase", "text", "PhaseBegan"))
    ),
)

PLANTS: tuple[RowPlant, ...] = (
    RowPlant(
        "an altered event row",
        "were altered: the hash does not fit",
        sql(
            "UPDATE events SET body = body || '{\"turn\": 8}' WHERE (room, version, index) = (SELECT room, version, "
            "index FROM events WHERE room = %(room)s AND version > 2 ORDER BY version, index LIMIT 1)"
        ),
    ),
    RowPlant(
        "a missing event row",
        "the store holds those numbered",
        sql("DELETE FROM events WHERE room = %(room)s AND version = 1 AND index = 2"),
    ),
    RowPlant(
        "a missing commit",
        "follows commit 3",
        sql(
            "DELETE FROM commits WHERE room = %(room)s AND version = 4",
            "DELETE FROM events WHERE room = %(room)s AND version = 4",
        ),
    ),
    RowPlant(
        "a doubled command",
        "its command id was used before",
        sql(
            "ALTER TABLE commits DROP CONSTRAINT commits_room_command_id_key",
            "UPDATE commits SET command_id = (SELECT command_id FROM commits WHERE room = %(room)s AND version = 2) "
            "WHERE room = %(room)s AND version = 3",
        ),
    ),
    RowPlant(
        "another room's snapshot",
        "the snapshot is not the fold of the events",
        sql(
            "INSERT INTO snapshots (room, version, body) SELECT %(room)s, 5, body FROM snapshots "
            "WHERE room <> %(room)s LIMIT 1"
        ),
    ),
    RowPlant(
        "a chain that is broken",
        "does not continue the hash chain",
        sql("UPDATE commits SET prev_hash = sha256('x') WHERE room = %(room)s AND version = 3"),
    ),
    RowPlant(
        "a room ahead of its commits",
        "its last commit is",
        sql("UPDATE rooms SET version = version + 1 WHERE id = %(room)s"),
    ),
    RowPlant(
        "an event whose type is another",
        "an event's type is not what its body says",
        sql("UPDATE events SET type = 'Other' WHERE room = %(room)s AND version = 1 AND index = 0"),
    ),
    RowPlant(
        "an altered outcome",
        "the stored outcome is none",
        sql("UPDATE commits SET outcome = '{\"ok\": false}' WHERE room = %(room)s AND version = 2"),
    ),
    RowPlant(
        "a deadline without a room",
        "rows of deadlines belong to no commit or room",
        sql("INSERT INTO deadlines VALUES (gen_random_uuid(), 'guild', 'x', 1, now())"),
    ),
    RowPlant(
        "a deadline without an open offer",
        "deadlines are for offers that are not open",
        sql("INSERT INTO deadlines VALUES (%(room)s, 'guild', 'x', 1, now())"),
    ),
    RowPlant(
        "an open offer that nobody asked",
        "the room's open offers are not those of its last commit",
        sql(
            'UPDATE rooms SET open = open || \'[{"seat": "guild", "offer": "x", "kind": "x", '
            '"clock": "turn"}]\'::jsonb WHERE id = %(room)s'
        ),
    ),
    RowPlant(
        "another result in the room's row",
        "the room's result is not that of its events",
        sql('UPDATE rooms SET result = \'{"way": "x"}\' WHERE id = %(room)s'),
    ),
    RowPlant(
        "a directory that tells of another turn",
        "the events say otherwise",
        sql("UPDATE rooms SET turn = turn + 3 WHERE id = %(room)s"),
    ),
    RowPlant(
        "a room without its host's token",
        "the room has no host's token",
        sql("DELETE FROM tokens WHERE room = %(room)s AND scope = 'room:host'"),
    ),
    RowPlant(
        "two seats that changed places",
        "the seats' factions are not those that play",
        sql(
            "UPDATE seats SET position = 1 - position WHERE room = %(room)s AND position IN (0, 1)",
        ),
    ),
    RowPlant("an altered event, and every hash made to fit", "is not what the events make", forged, True),
    RowPlant(
        "a room set back by one commit, everything made to fit",
        "was accepted",
        sql(*SET_BACK),
        True,
    ),
)
"""Every fault that is planted in rows."""
