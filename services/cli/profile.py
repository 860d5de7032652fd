"""`sietch profile`: named setups, with which an operator starts one ready lobby. [NEXUS-76..NEXUS-79]"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, TypeVar

import psycopg
import typer

from services.cli.database import database
from services.room.profiles import PROFILES, misfit
from services.room.starts import Lobby, NotStarted
from services.room.starts import look as look_at
from services.room.starts import restore as restore_from
from services.room.starts import start as start_with
from shared.ops.settings import stated

app = typer.Typer(help="Named setups for one lobby.", no_args_is_help=True)

T = TypeVar("T")
Url = Annotated[str, typer.Option(help="The database (default: SIETCH_DATABASE_URL, else that of .sietch/).")]
Code = Annotated[str, typer.Option("--room", help="The room's code.")]


@app.callback()
def group() -> None:
    """Named setups for one lobby."""


@app.command("list")
def list_() -> None:
    """Print every profile: its name, what it is for, what it sets and whom it needs."""
    for profile in PROFILES.values():
        decks = " or ".join("+".join(one) for one in profile.decks)
        needs = ", ".join(profile.needs) or "nobody in particular"
        print(f"{profile.name}\n  {profile.text} [{profile.rule}]")
        print(
            f"  modules {', '.join(profile.modules)}; decks {decks}; "
            f"{profile.least} to {profile.most} seats, all ready; needs {needs}"
        )


@app.command()
def look(room: Code, database_url: Url = "") -> None:
    """Print a room's version and which profiles fit it now, or why not."""

    async def read(url: str) -> Lobby:
        async with await psycopg.AsyncConnection.connect(url, connect_timeout=10) as connection:
            return await look_at(connection, room.strip().upper())

    lobby = _run(database_url, read)
    taken = [seat for seat in lobby.seats if seat.kind != "open"]
    print(f"room {lobby.code}: {lobby.state}, version {lobby.at}, {len(taken)} seats taken")
    for profile in PROFILES.values():
        print(f"{profile.name}: {misfit(profile, lobby.state, lobby.settings, lobby.seats) or 'fits'}")


@app.command()
def start(
    name: Annotated[str, typer.Argument(help="The profile.")],
    room: Code,
    at_version: Annotated[int, typer.Option(help="The version that was looked at (`sietch profile look`).")],
    backup_dir: Annotated[Path, typer.Option(help="Where the backup goes; it holds secrets of the room.")],
    database_url: Url = "",
) -> None:
    """Back a ready lobby up and begin its game so; a lobby that does not fit is left as it was."""
    profile = PROFILES.get(name)
    if profile is None:
        print(f"sietch: there is no profile {name!r}; there are {', '.join(PROFILES)}", file=sys.stderr)
        raise typer.Exit(2)
    from services.rules.service import Worker

    worker = Worker("profile", 1, False)
    code = room.strip().upper()
    backup = _run(
        database_url, lambda url: start_with(url, profile, code, at_version, backup_dir, worker.decide)
    )
    print(f"room {code} began as {profile.name}; its lobby is kept in {backup}")


@app.command()
def restore(
    backup: Annotated[Path, typer.Argument(help="A file that `start` wrote.")],
    replace_game: Annotated[
        bool,
        typer.Option("--replace-game", help="Give up a game that has begun since; services must be down."),
    ] = False,
    database_url: Url = "",
) -> None:
    """Put a room back into its lobby as a backup has it, with its seats and tokens."""
    code = _run(database_url, lambda url: restore_from(url, backup, replace_game=replace_game))
    print(f"room {code} is back in its lobby")


def _run(database_url: str, work: Callable[[str], Awaitable[T]]) -> T:
    """Do it on the store; a refusal is one line and code 1."""
    try:
        with database(database_url or stated("SIETCH_DATABASE_URL")) as url:
            return asyncio.run(_awaited(work(url)))
    except NotStarted as refused:
        print(f"sietch: {refused}", file=sys.stderr)
    except psycopg.Error as error:
        print(f"sietch: the store cannot be used: {type(error).__name__}", file=sys.stderr)
    except OSError as error:
        print(f"sietch: the backup cannot be written: {error}", file=sys.stderr)
    raise typer.Exit(1)


async def _awaited(work: Awaitable[T]) -> T:
    return await work
