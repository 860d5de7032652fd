"""`python -m services.room.migrate`: bring the database to the newest schema, and services' roles to their rights.

Safe to run at any time, by many. `SIETCH_DATABASE_URL` is the owner's; `SIETCH_ROOM_DATABASE_URL`, `…_PROJECTION_…` and
`…_VERIFIER_…` are what those are given as theirs. Without these there are no roles but the owner's.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import OperationalError

from services.room.store.roles import RIGHTS, RolesError, bring_roles
from shared.dune.language import language
from shared.ops.database import sqlalchemy_url
from shared.ops.settings import SettingsError, stated

MIGRATIONS = Path(__file__).parent / "store" / "migrations"
LOCK = 0x51E7C4
"""The advisory lock that keeps two replicas from migrating at once."""


class NewerError(Exception):
    """A newer version has migrated the database; the text says what to do."""


def migrate(dsn: str, revision: str = "head", roles: Mapping[str, str] | None = None) -> list[str]:
    """Apply every migration that the database lacks, then bring the roles of these URLs (by service) to their rights.

    Returns the names of the roles. Raises SQLAlchemy's errors when it cannot be reached, NewerError, and RolesError.
    """
    engine = create_engine(sqlalchemy_url(dsn))
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": LOCK})
            connection.commit()
            try:
                config = Config()
                config.set_main_option("script_location", str(MIGRATIONS))
                config.attributes["connection"] = connection
                _not_newer(connection, ScriptDirectory.from_config(config))
                connection.commit()
                command.upgrade(config, revision)
                connection.commit()
                if revision == "head":
                    _speak(connection)
                    connection.commit()
                return bring_roles(dsn, roles) if roles else []
            finally:
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": LOCK})
                connection.commit()
    finally:
        engine.dispose()


def _not_newer(connection: Connection, script: ScriptDirectory) -> None:
    """Raises NewerError when the schema is one that this program has never heard of."""
    known = {one.revision for one in script.walk_revisions()}
    for found in MigrationContext.configure(connection).get_current_heads():
        if found not in known:
            raise NewerError(
                f"the database has the schema {found} of a newer version, and this one knows those up to "
                f"{script.get_current_head()}: start the newer version, or restore a backup that this one made"
            )


def _speak(connection: Connection) -> None:
    """Forget the snapshots that another language of the game made: the fold of the same events may be another now.

    They are a cache, made again as games go on. A staged table follows from no events, and stays. Which language made
    them is the comment on their table, so that a backup tells it as well.
    """
    made = connection.execute(text("SELECT obj_description('snapshots'::regclass)")).scalar()
    if made != language():
        cached = "DELETE FROM snapshots USING rooms WHERE rooms.id = snapshots.room AND NOT rooms.scenario"
        connection.execute(text(cached))
        connection.execute(text(f"COMMENT ON TABLE snapshots IS '{language()}'"))


def main() -> int:
    """The command: 0 when all is as it should be, 1 when that cannot be had, 2 without a usable URL."""
    try:
        dsn = stated("SIETCH_DATABASE_URL")
        roles = stated_roles()
    except SettingsError as error:
        print(f"cannot migrate: {error}", file=sys.stderr)
        return 2
    if not dsn:
        print("SIETCH_DATABASE_URL is not set: which database shall be migrated?", file=sys.stderr)
        return 2
    try:
        names = migrate(dsn, roles=roles)
    except (OperationalError, psycopg.OperationalError) as error:
        reason = str(getattr(error, "orig", error)).strip().splitlines() or ["no reason given"]
        print(f"cannot migrate: PostgreSQL cannot be reached: {reason[0]}", file=sys.stderr)
        return 1
    except (NewerError, RolesError) as error:
        print(f"cannot migrate: {error}", file=sys.stderr)
        return 1
    print("database schema is up to date" + (f"; roles: {', '.join(names)}" if names else ""))
    return 0


def stated_roles(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The URLs of the services that have a role of their own, by service. Raises SettingsError."""
    named = {service: stated(f"SIETCH_{service.upper()}_DATABASE_URL", env) for service in RIGHTS}
    return {service: url for service, url in named.items() if url}


if __name__ == "__main__":
    raise SystemExit(main())
