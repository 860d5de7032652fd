"""Fixtures that every folder may use: a real PostgreSQL and a real NATS, started once a session, clean per test.

The servers come from the wheels; `SIETCH_TEST_DATABASE_URL` and `SIETCH_TEST_NATS_URL` name running ones instead,
and `SIETCH_TEST_SERVERS=containers` (`make test-containers`) starts containers where an engine runs.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import nats
import psycopg
import pytest

from services.embedded import Deployment
from services.embedded.account import unprivileged
from services.embedded.home import Home
from services.embedded.nats import EmbeddedNats
from services.embedded.postgres import EmbeddedPostgres
from shared.ops import scrape
from tests.containers import servers as containers
from tests.mustrun import pytest_sessionfinish, pytest_terminal_summary

__all__ = ["pytest_sessionfinish", "pytest_terminal_summary"]

TEMPLATE = "sietch_template"
_numbers = itertools.count(1)


@pytest.fixture(autouse=True)
def no_looks_left() -> Iterator[None]:
    """What a service of one test looks at for its metrics is gone in the next, which would wait for it in vain."""
    before = dict(scrape.looks)
    yield
    scrape.looks.clear()
    scrape.looks.update(before)


@pytest.fixture(scope="session")
def server_home() -> Iterator[Home]:
    """A directory for this session's servers that the servers' account can enter; removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="sietch-test-"))
    folder.chmod(0o755)
    home = Home(folder, unprivileged())
    yield home
    home.release()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A directory of this test's own that the servers' account can enter (pytest's `tmp_path` is closed to it)."""
    folder = Path(tempfile.mkdtemp(prefix="sietch-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def own_home(open_folder: Path) -> Iterator[Home]:
    """A home for servers of this test's own."""
    home = Home(open_folder, unprivileged())
    yield home
    home.release()


@pytest.fixture(scope="session")
def postgres_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """URL of a server on which tests may make databases (not itself for use by tests)."""
    if url := os.environ.get("SIETCH_TEST_DATABASE_URL"):
        yield url
    elif os.environ.get("SIETCH_TEST_SERVERS") == "containers":
        with containers.postgres() as url:
            yield url
    else:
        server = EmbeddedPostgres(request.getfixturevalue("server_home"), durable=False)
        server.start()
        yield server.url
        server.stop()


@pytest.fixture(scope="session")
def nats_server_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """URL of a server with JetStream, shared by the session."""
    if url := os.environ.get("SIETCH_TEST_NATS_URL"):
        yield url
    elif os.environ.get("SIETCH_TEST_SERVERS") == "containers":
        with containers.nats() as url:
            yield url
    else:
        server = EmbeddedNats(request.getfixturevalue("server_home"))
        server.start()
        yield server.url
        server.stop()


def with_database(url: str, name: str) -> str:
    """The same server, another database."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, f"/{name}", parts.query, parts.fragment))


@pytest.fixture(scope="session")
def template_database(postgres_url: str) -> str:
    """Name of a database with the newest schema, to copy from."""
    from services.room.migrate import migrate

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {TEMPLATE}")
        connection.execute(f"CREATE DATABASE {TEMPLATE}")
    migrate(with_database(postgres_url, TEMPLATE))
    return TEMPLATE


@pytest.fixture
def make_database(postgres_url: str) -> Iterator[Callable[[str | None], str]]:
    """Make a database (a copy of the named template, or empty for None) and return its URL; dropped afterwards."""
    made: list[str] = []

    def make(template: str | None) -> str:
        name = f"sietch_test_{os.getpid()}_{next(_numbers)}"
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            # Copied as files: four times as quick as through the log, where nothing has to outlive the machine.
            connection.execute(
                f"CREATE DATABASE {name} TEMPLATE {template or 'template1'} STRATEGY file_copy"
            )
        made.append(name)
        return with_database(postgres_url, name)

    yield make
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for name in made:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database_url(make_database: Callable[[str | None], str], template_database: str) -> str:
    """URL of a database of this test's own, with the newest schema and no rows."""
    return make_database(template_database)


@pytest.fixture
def empty_database_url(make_database: Callable[[str | None], str]) -> str:
    """URL of a database of this test's own without any table."""
    return make_database(None)


@pytest.fixture
def nats_url(nats_server_url: str) -> Iterator[str]:
    """URL of the session's NATS; whatever streams the test made are gone afterwards."""
    yield nats_server_url
    cleaner = threading.Thread(target=lambda: asyncio.run(_delete_streams(nats_server_url)))
    cleaner.start()
    cleaner.join(20)


async def _delete_streams(url: str) -> None:
    client = await nats.connect(url)
    try:
        manager = client.jetstream()
        for stream in await manager.streams_info():
            await manager.delete_stream(stream.config.name or "")
    finally:
        await client.close()


@pytest.fixture(scope="session")
def deployment() -> Iterator[Deployment]:
    """The four services and their servers as processes, scenarios allowed, shared by the session's tests.

    Whoever breaks it (kills, stops) makes a deployment of its own instead: `own_deployment`.
    """
    folder = Path(tempfile.mkdtemp(prefix="sietch-test-"))
    folder.chmod(0o755)
    with Deployment(folder, env={"SIETCH_SCENARIOS": "1", "SIETCH_RATE_FACTOR": "0"}, durable=False) as made:
        yield made
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def own_deployment(open_folder: Path) -> Iterator[Callable[..., Deployment]]:
    """Make a deployment of this test's own: `own_deployment(replicas=2)`; arguments are Deployment's."""
    made: list[Deployment] = []

    def make(**options: Any) -> Deployment:
        env = {"SIETCH_SCENARIOS": "1", "SIETCH_RATE_FACTOR": "0", **options.pop("env", {})}
        one = Deployment(open_folder, **({"durable": False, "env": env} | options))
        made.append(one)
        one.up()
        return one

    yield make
    for one in made:
        one.down()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of Chromium for Playwright's `executable_path` (`.ci/chromium` installs it where it may)."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    raise FileNotFoundError("the browser tests need Chromium: as root, apt-get install chromium")
