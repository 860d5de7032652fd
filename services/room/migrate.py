"""`python -m services.room.migrate`: bring the database to the newest schema. Safe to run at any time, by many."""

from __future__ import annotations

import sys
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from shared.ops.database import sqlalchemy_url
from shared.ops.settings import SettingsError, stated

MIGRATIONS = Path(__file__).parent / "store" / "migrations"
LOCK = 0x51E7C4
"""The advisory lock that keeps two replicas from migrating at once."""


def migrate(dsn: str, revision: str = "head") -> None:
    """Apply every migration that the database lacks. Raises SQLAlchemy's errors when it cannot be reached."""
    engine = create_engine(sqlalchemy_url(dsn))
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": LOCK})
            connection.commit()
            try:
                config = Config()
                config.set_main_option("script_location", str(MIGRATIONS))
                config.attributes["connection"] = connection
                command.upgrade(config, revision)
                connection.commit()
            finally:
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": LOCK})
                connection.commit()
    finally:
        engine.dispose()


def main() -> int:
    """The command: 0 when the schema is newest, 1 when the database cannot be reached, 2 without a usable URL."""
    try:
        dsn = stated("SIETCH_DATABASE_URL")
    except SettingsError as error:
        print(f"cannot migrate: {error}", file=sys.stderr)
        return 2
    if not dsn:
        print("SIETCH_DATABASE_URL is not set: which database shall be migrated?", file=sys.stderr)
        return 2
    try:
        migrate(dsn)
    except OperationalError as error:
        reason = str(error.orig).strip().splitlines()[0] if error.orig else "no reason given"
        print(f"cannot migrate: PostgreSQL cannot be reached: {reason}", file=sys.stderr)
        return 1
    print("database schema is up to date")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
