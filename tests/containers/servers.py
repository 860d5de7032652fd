"""The servers of the tests as containers, and whether an engine is there to run them.

Images have the names of deploy/image/bases.env; where they cannot be pulled, `make base-images` builds stand-ins.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.pipeline.bases import BASES_FILE, one, read_bases
from deploy.pipeline.engine import Docker
from deploy.pipeline.errors import PipelineError

ROOT = Path(__file__).parents[2]


def image(role: str) -> str:
    """The reference of the image for a role (`POSTGRES_IMAGE`)."""
    return one(read_bases(ROOT / BASES_FILE), role)


def missing(*roles: str, programs: tuple[str, ...] = (), also: tuple[str, ...] = ()) -> str | None:
    """One line why tests with these images (by role, and by name) and programs cannot run; None when they can."""
    engine = Docker()
    if why := engine.unreachable():
        return f"no container engine answers ({why})"
    if absent := [name for name in programs if shutil.which(name) is None]:
        return f"not installed: {', '.join(absent)}"
    try:
        names = [*map(image, roles), *also]
    except PipelineError as error:
        return str(error)
    absent = [name for name in names if not engine.has(name)]
    return f"images are not here (make image, make base-images): {', '.join(absent)}" if absent else None


@contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL container that keeps nothing; yields its URL."""
    _set_up()
    from testcontainers.community.postgres import PostgresContainer

    server = PostgresContainer(image("POSTGRES_IMAGE"), driver=None)
    # Nothing has to outlive the tests, so nothing waits for a disk.
    server.with_command("postgres -c fsync=off -c synchronous_commit=off -c max_connections=200")
    with server as running:
        yield running.get_connection_url()


@contextmanager
def nats() -> Iterator[str]:
    """A NATS container with JetStream; yields its URL."""
    _set_up()
    from testcontainers.community.nats import NatsContainer

    with NatsContainer(image("NATS_IMAGE"), jetstream=True) as running:
        yield running.nats_uri()


def _set_up() -> None:
    """The library's own reaper is one more image to pull; here each container ends with its `with`."""
    os.environ.setdefault("TESTCONTAINERS_RYUK_DISABLED", "true")
    os.environ.setdefault("TESTCONTAINERS_HOST_OVERRIDE", "127.0.0.1")
