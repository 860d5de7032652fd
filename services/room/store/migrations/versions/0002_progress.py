"""The directory's read model: how far each game is. Written by projection alone.

Revision ID: 0002
Revises: 0001
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
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


def downgrade() -> None:
    """Drop it: it can be made again from the events."""
    op.execute("DROP TABLE room_progress")
