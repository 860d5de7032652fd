"""The changes of lobbies by digests of their ids: a change that is sent again is known, and one whose answer was lost.

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table; rows older than some minutes are worth nothing."""
    op.execute(
        """
        CREATE TABLE changes (
            key   bytea PRIMARY KEY,
            room  uuid NOT NULL REFERENCES rooms ON DELETE CASCADE,
            what  bytea NOT NULL,
            seat  smallint,
            at    timestamptz NOT NULL
        )
        """
    )
    op.execute("CREATE INDEX changes_room ON changes (room)")


def downgrade() -> None:
    """Drop it."""
    op.execute("DROP TABLE changes")
