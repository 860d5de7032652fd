"""Each service has a role of its own in PostgreSQL, which can do what the service does and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from services.projection.store import Store as ProjectionStore
from services.room.migrate import main, migrate
from services.room.store.roles import RIGHTS, RolesError, bring_roles
from services.verifier.store.census import verify_store
from shared.ops.database import Pool
from tests.service.room.test_store import _filled

TABLES = (
    "rooms",
    "seats",
    "tokens",
    "changes",
    "commits",
    "events",
    "snapshots",
    "deadlines",
    "alembic_version",
)


def url_of(url: str, user: str, password: str = "secret") -> str:
    """The same database for another user."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{user}:{password}@{host}"))


@pytest.fixture
def roles(database_url: str) -> Iterator[dict[str, str]]:
    """The URL of each service's role, made and given its rights as a deployment does; gone afterwards."""
    names = {service: f"sietch_test_{service}_{os.getpid()}" for service in RIGHTS}
    urls = {service: url_of(database_url, name) for service, name in names.items()}
    assert migrate(database_url, roles=urls) == list(names.values())
    yield urls
    with psycopg.connect(database_url, autocommit=True) as connection:
        for name in names.values():
            connection.execute(f"DROP OWNED BY {name}")
            connection.execute(f"DROP ROLE {name}")


def refused(url: str, statement: str) -> None:
    """PostgreSQL refuses it for want of a right, and nothing else is wrong with it."""
    with psycopg.connect(url) as connection:
        with pytest.raises(InsufficientPrivilege):
            connection.execute(statement)


# What changes a table, with which right; each is whole, so that only the right can be missing.
WRITES = {
    "INSERT": "INSERT INTO {0} SELECT * FROM {0} WHERE false",
    "UPDATE": "UPDATE {0} SET {1} = {1} WHERE false",
    "DELETE": "DELETE FROM {0} WHERE false",
    "TRUNCATE": "TRUNCATE {0}",
}
COLUMN = {"rooms": "name", "alembic_version": "version_num", "tokens": "scope", "seats": "name"}


def test_what_each_may_write_is_what_stands_in_the_list(roles: dict[str, str]) -> None:
    for service, table in product(RIGHTS, TABLES):
        granted = RIGHTS[service].get(table, "").split(", ")
        for right, text in WRITES.items():
            # To write of a table what stands in it needs to read all of it as well.
            statement = text.format(table, COLUMN.get(table, "room"))
            if right in granted:
                with psycopg.connect(roles[service]) as connection:
                    connection.execute(statement)
                    connection.rollback()
            else:
                refused(roles[service], statement)


FOR_THE_OWNER = (
    "CREATE TABLE mine (id int)",
    "CREATE TEMPORARY TABLE mine (id int)",
    "ALTER TABLE rooms ADD COLUMN mine int",
    "DROP TABLE events",
    "CREATE INDEX mine ON events (type)",
    "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE SCHEMA mine",
    "CREATE ROLE mine",
    "CREATE DATABASE mine",
    "COPY rooms TO PROGRAM 'cat'",
)


def test_nobody_but_the_owner_makes_or_alters_anything(roles: dict[str, str]) -> None:
    done = []
    for service in RIGHTS:
        with psycopg.connect(roles[service], autocommit=True) as connection:
            for statement in FOR_THE_OWNER:
                try:
                    connection.execute(statement)
                    done.append((service, statement))
                except InsufficientPrivilege:
                    continue
    assert done == []


def test_projection_reads_no_secret_of_people_and_no_key(roles: dict[str, str]) -> None:
    for what in ("hash FROM tokens", "* FROM seats", "bot_key FROM rooms", "open FROM rooms", "outcome FROM commits",
                 "command_id FROM commits", "* FROM deadlines"):  # fmt: skip
        refused(roles["projection"], f"SELECT {what}")


async def test_projection_reads_what_it_folds(database_url: str, roles: dict[str, str]) -> None:
    room = (await _filled(database_url)).hex
    pool = Pool(roles["projection"], 1)
    store = ProjectionStore(pool)
    try:
        version, scenario = await store.version(room) or (0, True)
        assert version > 0 and not scenario
        taken = await store.take_up(room, version)
        assert taken.version == version
        commits = await store.commits(room, 0, version)
        assert [commit.version for commit in commits] == list(range(1, version + 1))
    finally:
        await pool.close()


async def test_the_verifier_reads_everything(database_url: str, roles: dict[str, str]) -> None:
    await _filled(database_url)
    census = verify_store(roles["verifier"])
    assert census.rooms == 1 and census.commits > 0
    assert census.faults == []


def test_rights_that_are_not_in_the_list_are_taken_back(database_url: str, roles: dict[str, str]) -> None:
    name = urlsplit(roles["projection"]).username
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {name}")
        connection.execute(f"GRANT SELECT (bot_key) ON rooms TO {name}")
    bring_roles(database_url, roles)
    refused(roles["projection"], "DELETE FROM events")
    refused(roles["projection"], "SELECT bot_key FROM rooms")


def test_a_new_password_is_taken_and_the_old_one_forgotten(database_url: str, roles: dict[str, str]) -> None:
    name = urlsplit(roles["room"]).username or ""
    bring_roles(database_url, {"room": url_of(database_url, name, "another")})
    psycopg.connect(url_of(database_url, name, "another")).close()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(roles["room"])


def test_whoever_shares_the_owners_role_is_left_alone(database_url: str) -> None:
    assert bring_roles(database_url, {"room": database_url}) == []


def test_what_cannot_be_made_is_said_without_a_password(
    database_url: str,
    roles: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for url, reason in (
        (
            url_of(database_url, "x").rpartition("/")[0] + "/other?" + urlsplit(database_url).query,
            "is migrated",
        ),
        (url_of(database_url, "x").replace("x:secret@", ""), "names no user"),
    ):
        with pytest.raises(RolesError, match=reason):
            bring_roles(database_url, {"room": url})
    # Whoever migrates without the right to make roles.
    with pytest.raises(RolesError, match="make it yourself") as told:
        bring_roles(roles["room"], {"projection": url_of(database_url, "sietch_test_none")})
    assert "secret" not in str(told.value)
    monkeypatch.setenv("SIETCH_DATABASE_URL", database_url)
    monkeypatch.setenv("SIETCH_ROOM_DATABASE_URL", url_of(database_url, "x").replace("x:secret@", ""))
    assert main() == 1
    assert "names no user" in capsys.readouterr().err
    monkeypatch.setenv("SIETCH_ROOM_DATABASE_URL", roles["room"])
    assert main() == 0
    assert capsys.readouterr().out.endswith(f"; roles: {urlsplit(roles['room']).username}\n")
