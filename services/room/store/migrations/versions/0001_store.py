"""The event store, rooms, seats, tokens, snapshots and deadlines.

No sequence anywhere: `(room, version)` is the order and the optimistic lock. Every key begins with the room, so
that the event tables can be partitioned by ranges of room (UUIDv7) or distributed by room.
"""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# `rooms` is updated by every commit. Its indexes touch no column that a commit changes and its pages keep room
# for the next version of a row, so that the update stays within the page (a heap-only tuple).
ROOMS = """
CREATE TABLE rooms (
    id          uuid PRIMARY KEY,
    code        text NOT NULL UNIQUE,
    name        text NOT NULL,
    state       text NOT NULL CHECK (state IN ('lobby', 'running', 'finished')),
    scenario    boolean NOT NULL,
    settings    jsonb NOT NULL,
    ruleset     text NOT NULL,
    lobby       integer NOT NULL,
    version     integer NOT NULL,
    hash        bytea NOT NULL,
    open        jsonb NOT NULL,
    bot_key     bytea NOT NULL,
    bot_waits   boolean NOT NULL,
    published   integer NOT NULL,
    settled     boolean NOT NULL,
    finished    boolean NOT NULL,
    result      jsonb,
    asked_at    timestamptz NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL
) WITH (fillfactor = 60)
"""

STATEMENTS = (
    ROOMS,
    "CREATE INDEX rooms_unsettled ON rooms (id) WHERE NOT settled",
    "CREATE INDEX rooms_directory ON rooms (state, created_at DESC)",
    """
    CREATE TABLE seats (
        room      uuid NOT NULL REFERENCES rooms ON DELETE CASCADE,
        seat      smallint NOT NULL,
        kind      text NOT NULL CHECK (kind IN ('open', 'person', 'bot')),
        name      text NOT NULL,
        faction   text,
        position  smallint,
        ready     boolean NOT NULL,
        policy    text,
        PRIMARY KEY (room, seat)
    )
    """,
    "CREATE UNIQUE INDEX seats_faction ON seats (room, faction) WHERE faction IS NOT NULL",
    """
    CREATE TABLE tokens (
        id          uuid PRIMARY KEY,
        room        uuid NOT NULL REFERENCES rooms ON DELETE CASCADE,
        seat        smallint,
        scope       text NOT NULL CHECK (scope IN ('room:host', 'seat:play', 'seat:observe')),
        hash        bytea NOT NULL UNIQUE,
        created_at  timestamptz NOT NULL,
        revoked_at  timestamptz
    )
    """,
    "CREATE INDEX tokens_room ON tokens (room)",
    """
    CREATE TABLE commits (
        room        uuid NOT NULL,
        version     integer NOT NULL,
        command_id  uuid NOT NULL,
        seat        text NOT NULL,
        outcome     jsonb NOT NULL,
        checkpoint  bytea NOT NULL,
        events      smallint NOT NULL,
        finished    boolean NOT NULL,
        prev_hash   bytea NOT NULL,
        hash        bytea NOT NULL,
        at          timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (room, version),
        UNIQUE (room, command_id)
    )
    """,
    """
    CREATE TABLE events (
        room     uuid NOT NULL,
        version  integer NOT NULL,
        index    smallint NOT NULL,
        type     text NOT NULL,
        body     jsonb NOT NULL,
        PRIMARY KEY (room, version, index)
    )
    """,
    """
    CREATE TABLE snapshots (
        room     uuid NOT NULL,
        version  integer NOT NULL,
        body     bytea NOT NULL,
        at       timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (room, version)
    )
    """,
    """
    CREATE TABLE deadlines (
        room     uuid NOT NULL,
        seat     text NOT NULL,
        offer    text NOT NULL,
        opened   integer NOT NULL,
        due      timestamptz NOT NULL,
        claimed  timestamptz,
        PRIMARY KEY (room, seat, offer)
    )
    """,
    "CREATE INDEX deadlines_due ON deadlines (due)",
)


def upgrade() -> None:
    """Make every table of the store."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Take everything away again (development only: games are lost)."""
    for table in ("deadlines", "snapshots", "events", "commits", "tokens", "seats", "rooms"):
        op.execute(f"DROP TABLE {table}")
