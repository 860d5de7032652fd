"""Who may do what in the store: a role of PostgreSQL for each service, with what its code does and nothing more.

The migration makes them, of the URLs that services are given; why: docs/decisions/0032.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

__all__ = ["RIGHTS", "RolesError", "bring_roles"]

Connection = psycopg.Connection[tuple[object, ...]]

# Service to the privileges that it has, by table. Nobody but the owner may change a row of what was committed, and
# projection reads no token, no seat and no key: it sends people what it reads.
RIGHTS: Mapping[str, Mapping[str, str]] = {
    "room": {
        "rooms": "SELECT, INSERT, UPDATE",
        "seats": "SELECT, INSERT, UPDATE, DELETE",
        "tokens": "SELECT, INSERT, UPDATE",
        "changes": "SELECT, INSERT, UPDATE, DELETE",
        "commits": "SELECT, INSERT",
        "events": "SELECT, INSERT",
        "snapshots": "SELECT, INSERT, DELETE",
        "deadlines": "SELECT, INSERT, UPDATE, DELETE",
    },
    "projection": {
        "rooms": "SELECT (id, version, scenario)",
        "commits": "SELECT (room, version, checkpoint)",
        "events": "SELECT (room, version, index, body)",
        "snapshots": "SELECT (room, version, body)",
    },
    "verifier": dict.fromkeys(
        ("rooms", "seats", "tokens", "commits", "events", "snapshots", "deadlines"), "SELECT"
    ),
}


class RolesError(Exception):
    """A role cannot be made or given its rights; the text says which, and what to do. It holds no password."""


def bring_roles(owner: str, urls: Mapping[str, str]) -> list[str]:
    """Make sure that each service (a key of RIGHTS) can log in by its URL, and has its rights, no more and no fewer.

    `owner` is the URL of whoever owns the tables. A URL with the owner's own name is passed over: there all share one
    role. Returns the names of the roles, in order. Raises RolesError, and psycopg.OperationalError without PostgreSQL.
    """
    done = []
    with psycopg.connect(owner) as connection:
        for service, url in urls.items():
            try:
                if name := _bring(connection, service, url):
                    done.append(name)
                connection.commit()
            except psycopg.errors.InsufficientPrivilege as error:
                raise RolesError(
                    f"whoever migrates may not make the role of {service} ({error.diag.message_primary}): make it "
                    "yourself, with that name and password, and migrate again (docs/operations.md)"
                ) from None
    return done


def _bring(connection: Connection, service: str, url: str) -> str:
    """One role; empty when it is the owner itself."""
    told = conninfo_to_dict(url)
    name, password = str(told.get("user") or ""), str(told.get("password") or "")
    database, migrated = str(told.get("dbname") or name), connection.info.dbname
    if not name:
        raise RolesError(f"the URL of {service}'s database names no user")
    if name == connection.info.user:
        return ""
    if database != migrated:
        raise RolesError(f"the URL of {service}'s database names '{database}', and '{migrated}' is migrated")
    if not _is_role(connection, name) or not _logs_in(url):
        if not password:
            raise RolesError(f"PostgreSQL does not let {name} in by {service}'s URL, which names no password")
        _make(connection, name, password)
    _give(connection, name, RIGHTS[service])
    if not _logs_in(url):
        raise RolesError(f"the role {name} was made, and PostgreSQL does not let it in by {service}'s URL")
    return name


def _is_role(connection: Connection, name: str) -> bool:
    """Whether PostgreSQL knows the name: it logs every vain try to log in as a fault."""
    return connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (name,)).fetchone() is not None


def _logs_in(url: str) -> bool:
    try:
        with psycopg.connect(url, connect_timeout=10):
            return True
    except psycopg.OperationalError:
        return False


def _make(connection: Connection, name: str, password: str) -> None:
    """Make the role, or give it this password. What is sent is not the password but what it is checked with."""
    kept = connection.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
    role = sql.Identifier(name)
    with contextlib.suppress(psycopg.errors.DuplicateObject), connection.transaction():
        connection.execute(sql.SQL("CREATE ROLE {}").format(role))
    connection.execute(sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(role, sql.Literal(kept)))
    connection.commit()


def _give(connection: Connection, name: str, rights: Mapping[str, str]) -> None:
    """Exactly these rights, from one moment to the next: replicas of an earlier version go on meanwhile."""
    role, database = sql.Identifier(name), sql.Identifier(connection.info.dbname)
    statements: list[sql.Composed] = [
        # What everybody may do in a database by PostgreSQL's own defaults.
        sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC").format(database),
        sql.SQL("REVOKE CREATE ON SCHEMA public FROM PUBLIC").format(),
        sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}").format(role),
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, role),
        sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(role),
    ]
    for table, privileges in rights.items():
        words = sql.SQL(privileges)
        statements.append(sql.SQL("GRANT {} ON {} TO {}").format(words, sql.Identifier(table), role))
    with connection.transaction():
        for statement in statements:
            connection.execute(statement)
