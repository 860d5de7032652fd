"""`sietch room`: from a room's code to the ref by which logs name it and back, and what its game waits for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import msgspec
import psycopg
import typer

from services.cli.database import database
from services.cli.progress import pending_in, sentence
from shared.ops.refs import room_ref
from shared.ops.settings import stated

app = typer.Typer(help="A room's name in logs, and what its game waits for.", no_args_is_help=True)

Url = Annotated[str, typer.Option(help="The database (default: SIETCH_DATABASE_URL, else that of .sietch/).")]


_NEWEST = """
SELECT r.version, r.turn, r.phase, r.finished, c.checkpoint FROM rooms r
LEFT JOIN commits c ON c.room = r.id AND c.version = r.version WHERE r.code = %s"""
_LOBBY = """
SELECT count(*), count(*) FILTER (WHERE kind <> 'open'), count(*) FILTER (WHERE kind <> 'open' AND NOT ready)
FROM seats JOIN rooms ON rooms.id = seats.room WHERE rooms.code = %s"""


@app.callback()
def group() -> None:
    """A room's name in logs, and what its game waits for."""


@app.command()
def ref(code: Annotated[str, typer.Argument(help="A room's code.")], database_url: Url = "") -> None:
    """Print the ref by which logs name a room."""
    wanted = code.strip().upper()
    _print(database_url, lambda store: ref_of(store, wanted), f"there is no room {wanted}")


@app.command()
def find(ref: Annotated[str, typer.Argument(help="A ref from a log.")], database_url: Url = "") -> None:
    """Print the code of the room that logs name so."""
    wanted = ref.strip().lower()
    _print(database_url, lambda store: code_of(store, wanted), f"no room has the ref {wanted}")


@app.command()
def progress(
    code: Annotated[str, typer.Argument(help="A room's code.")],
    database_url: Url = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print it for programs.")] = False,
) -> None:
    """Print what the room's game waits for; whose answer is missing only where it is a single seat's."""
    wanted = code.strip().upper()
    _print(database_url, lambda store: progress_of(store, wanted, as_json), f"there is no room {wanted}")


def progress_of(store: psycopg.Connection, code: str, as_json: bool) -> str | None:
    """What the game in the room with this code waits for, or its lobby; None if there is no such room."""
    row = store.execute(_NEWEST, (code,)).fetchone()
    if row is None:
        return None
    version, turn, phase, finished, checkpoint = row
    if version == 0:
        return lobby_of(store, code, as_json)
    pending = [] if finished else pending_in(bytes(checkpoint))
    if as_json:
        told = {"version": version, "turn": turn, "phase": phase, "finished": finished, "pending": pending}
        return msgspec.json.encode(told).decode()
    where = "the game is over" if finished else f"turn {turn}, {phase}"
    return "\n".join([f"{code} at version {version}: {where}", *map(sentence, pending)])


def lobby_of(store: psycopg.Connection, code: str, as_json: bool) -> str:
    """How far the lobby of a room is whose game has not begun."""
    row = store.execute(_LOBBY, (code,)).fetchone() or (0, 0, 0)
    seats, taken, late = (int(number) for number in row)
    if as_json:
        told = {"version": 0, "lobby": {"seats": seats, "taken": taken, "not_ready": late}}
        return msgspec.json.encode(told).decode()
    ready = f"{late} not ready" if late else "all ready"
    state = f"{taken} of {seats} seats taken, {ready}" if taken else f"nobody sits at its {seats} seats"
    return f"{code}: its game has not begun; {state}"


def ref_of(store: psycopg.Connection, code: str) -> str | None:
    """The ref of the room with this code."""
    row = store.execute("SELECT id FROM rooms WHERE code = %s", (code,)).fetchone()
    return None if row is None else room_ref(row[0])


def code_of(store: psycopg.Connection, wanted: str) -> str | None:
    """The code of the room with this ref: every room's is computed, some 300,000 in a second."""
    with store.cursor(name="rooms") as rows:
        rows.itersize = 10_000
        rows.execute("SELECT id, code FROM rooms")
        return next((code for id_, code in rows if room_ref(id_) == wanted), None)


def _print(database_url: str, look: Callable[[psycopg.Connection], str | None], missing: str) -> None:
    """Print what is found; else say what is missing, and end with 1."""
    try:
        with (
            database(database_url or stated("SIETCH_DATABASE_URL")) as url,
            psycopg.connect(url, connect_timeout=10) as store,
        ):
            found = look(store)
    except psycopg.Error as error:
        print(f"sietch: the store cannot be read: {type(error).__name__}", file=sys.stderr)
        raise typer.Exit(1) from None
    if found is None:
        print(f"sietch: {missing} in this store", file=sys.stderr)
        raise typer.Exit(1)
    print(found)
