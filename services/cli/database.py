"""The database that a command reads: named, of the deployment that runs here, or started for this."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import typer

from services.embedded.account import unprivileged
from services.embedded.home import Home, default_home
from services.embedded.postgres import DATABASE, USER, EmbeddedPostgres
from shared.ops.settings import stated

__all__ = ["database", "running_url"]


@contextmanager
def database(named: str) -> Iterator[str]:
    """The URL to read: named, from the environment, of the deployment that runs here, or of one started for this."""
    if url := named or stated("SIETCH_DATABASE_URL"):
        yield url
        return
    place = default_home()
    if not (place / "postgres-password").exists():
        print(
            f"sietch: there is no store in {place}; name one with --database-url or SIETCH_DATABASE_URL",
            file=sys.stderr,
        )
        raise typer.Exit(2)
    if running := running_url(place):
        yield running
        return
    home = Home(place, unprivileged())
    server = EmbeddedPostgres(home)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()
        home.release()


def running_url(place: Path) -> str | None:
    """The URL of the embedded database that a deployment in `place` runs at this moment."""
    note = place / "data-directory"
    data = Path(note.read_text().strip()) if note.exists() else place
    try:
        # PostgreSQL notes here: process id, data directory, start, port, socket directory.
        lines = (data / "postgres" / "data" / "postmaster.pid").read_text().splitlines()
        sockets = lines[4].strip()
        password = (place / "postgres-password").read_text().strip()
    except (OSError, IndexError):
        return None
    if not Path(f"/proc/{lines[0].strip()}").exists() and Path("/proc/self").exists():
        return None
    return f"postgresql://{USER}:{password}@/{DATABASE}?host={quote(sockets, safe='')}"
