"""`sietch serve room`: one service in the foreground, as a container runs it. Settings come from the environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import NoReturn

import typer

app = typer.Typer(help="Run one service in the foreground.", no_args_is_help=True)

# word: (module, what it does)
ENTRIES: dict[str, tuple[str, str]] = {
    "rules": ("services.rules", "One rules worker: decides."),
    "room": ("services.room", "One replica of the front door: HTTP, streams, the event store."),
    "projection": ("services.projection", "One projection replica: what each seat may see."),
    "bot": ("services.bot", "One bot worker: plays seats."),
    "migrate": ("services.room.migrate", "Bring the database to the newest schema, and end."),
}


@app.callback()
def serve() -> None:
    """Run one service in the foreground; it ends in peace on SIGTERM."""


def become(module: str) -> NoReturn:
    """Let this process become the service: signals reach it directly, and it carries nothing of the command line."""
    os.execv(sys.executable, [sys.executable, "-m", module])


def _entry(module: str) -> Callable[[], None]:
    def command() -> None:
        become(module)

    return command


for _word, (_module, _text) in ENTRIES.items():
    app.command(name=_word, help=_text)(_entry(_module))
