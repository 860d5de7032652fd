"""Alembic's environment: one connection, one advisory lock, plain SQL migrations."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from services.room.store.tables import SQLModel


def run(connection: Connection) -> None:
    """Apply the migrations on a connection that `services.room.migrate` opened and locked."""
    context.configure(
        connection=connection, target_metadata=SQLModel.metadata, transaction_per_migration=True
    )
    with context.begin_transaction():
        context.run_migrations()


run(context.config.attributes["connection"])
