"""`sietch verify store`: the census, the fold and the hash chain of every room."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
import psycopg
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from services.embedded.account import unprivileged
from services.embedded.home import Home, default_home
from services.embedded.postgres import DATABASE, USER, EmbeddedPostgres
from services.room.store.verify import Census, Commits, Fault, verify_store
from services.rules.census import check_census
from shared.dune.events import decode_event, evolve
from shared.dune.offers import Checkpoint
from shared.dune.table import CensusError, Table

app = typer.Typer(help="Verify what is stored.")

ROUND_TRIP_EVERY = 50


@app.callback()
def verify() -> None:
    """Verify what is stored."""


@app.command()
def store(
    database_url: Annotated[
        str, typer.Option(help="The database (default: SIETCH_DATABASE_URL, else that of .sietch/).")
    ] = "",
    no_fold: Annotated[bool, typer.Option("--no-fold", help="Rows and hashes only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings for programs.")] = False,
) -> None:
    """Verify every room; 0 when nothing is wrong, 1 when something is (or the database cannot be read)."""
    began = time.monotonic()
    console = Console(stderr=True, quiet=as_json or not sys.stderr.isatty())
    columns = (TextColumn("rooms"), BarColumn(), MofNCompleteColumn())
    try:
        with database(database_url) as url, Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("rooms", total=None)
            census = verify_store(
                url,
                None if no_fold else fold,
                lambda done, total: bar.update(task, completed=done, total=total),
            )
    except psycopg.Error as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        print(f"sietch: the store cannot be read: {reason}", file=sys.stderr)
        raise typer.Exit(1) from None
    print(_report(census, time.monotonic() - began, as_json))
    if census.faults:
        raise typer.Exit(1)


def fold(commits: Commits, snapshots: dict[int, bytes]) -> list[tuple[int, str]]:
    """Fold a room's events as projection does, and hold every table to the census. [GEN-14, GEN-15]

    Returns the first thing that is wrong: after it, nothing that follows means anything.
    """
    table = Table()
    version = 0
    try:
        if 0 in snapshots:
            table = msgspec.json.decode(snapshots[0], type=Table)
            check_census(table)
        for version, events, checkpoint in commits:
            for event in events:
                table = evolve(table, decode_event(event))
            check_census(table)
            msgspec.json.decode(checkpoint, type=Checkpoint)
            if version in snapshots and msgspec.json.decode(snapshots[version], type=Table) != table:
                return [(version, "the snapshot is not the fold of the events")]
            if version % ROUND_TRIP_EVERY == 0 and not _survives_json(table):
                return [(version, "the table does not survive JSON")]
    except CensusError as wrong:
        return [(version, f"the census does not add up: {wrong}")]
    except (msgspec.DecodeError, KeyError, ValueError) as wrong:
        return [(version, f"an event or the checkpoint cannot be folded: {type(wrong).__name__}: {wrong}")]
    return [] if _survives_json(table) else [(version, "the table does not survive JSON")]


def _survives_json(table: Table) -> bool:
    return msgspec.json.decode(msgspec.json.encode(table), type=Table) == table


@contextmanager
def database(named: str) -> Iterator[str]:
    """The URL to read: named, from the environment, of the deployment that runs here, or of one started for this."""
    if url := named or os.environ.get("SIETCH_DATABASE_URL", ""):
        yield url
        return
    place = default_home()
    if not (place / "postgres-password").exists():
        print(
            f"sietch: there is no store in {place}; name one with --database-url or SIETCH_DATABASE_URL",
            file=sys.stderr,
        )
        raise typer.Exit(1)
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


def _report(census: Census, seconds: float, as_json: bool) -> str:
    if as_json:
        found: dict[str, Any] = {
            "rooms": census.rooms,
            "commits": census.commits,
            "events": census.events,
            "seconds": round(seconds, 3),
            "faults": [{"room": f.room, "version": f.version, "text": f.text} for f in census.faults],
        }
        return msgspec.json.encode(found).decode()
    counted = f"{census.rooms} rooms, {census.commits} commits, {census.events} events in {seconds:.1f} s"
    if not census.faults:
        return f"{counted}: nothing is wrong"
    return "\n".join([*(_line(fault) for fault in census.faults), f"{counted}: {len(census.faults)} faults"])


def _line(fault: Fault) -> str:
    where = f"room {fault.room}" if fault.room else "the store"
    at = f", version {fault.version}" if fault.version else ""
    return f"{where}{at}: {fault.text}"
