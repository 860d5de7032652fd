"""What each command asked for, as a digest: a command id that is sent again with something else is refused.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; for commits that are older than it, any repeat gets the stored outcome."""
    op.execute("ALTER TABLE commits ADD COLUMN asked bytea NOT NULL DEFAULT ''")


def downgrade() -> None:
    """Drop it."""
    op.execute("ALTER TABLE commits DROP COLUMN asked")
