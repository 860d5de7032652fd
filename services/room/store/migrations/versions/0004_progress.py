"""How far a game is, told by the directory: kept with the room by the commit itself, in place of a table beside it.

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move turn and phase into the room's row."""
    op.execute(
        "ALTER TABLE rooms ADD COLUMN turn smallint NOT NULL DEFAULT 0, ADD COLUMN phase text NOT NULL DEFAULT ''"
    )
    op.execute(
        "UPDATE rooms SET turn = told.turn, phase = told.phase FROM room_progress AS told WHERE told.room = rooms.id"
    )
    op.execute("DROP TABLE room_progress")


def downgrade() -> None:
    """Move them out again."""
    op.execute(
        """
        CREATE TABLE room_progress (
            room        uuid PRIMARY KEY,
            version     integer NOT NULL,
            turn        integer NOT NULL,
            phase       text NOT NULL,
            result      jsonb,
            updated_at  timestamptz NOT NULL DEFAULT clock_timestamp()
        )
        """
    )
    op.execute(
        "INSERT INTO room_progress (room, version, turn, phase, result) "
        "SELECT id, version, turn, phase, result FROM rooms WHERE version > 0"
    )
    op.execute("ALTER TABLE rooms DROP COLUMN turn, DROP COLUMN phase")
