"""The root of `sietch`.

A group of commands is one module in this package that has `app`, a `typer.Typer`. It is named in GROUPS and imported
only when it is called, so that `sietch up` does not wait for what `sietch play` needs. A group that is one command
(`up`) is a Typer app whose callback is that command: `@app.callback(invoke_without_command=True)`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import typer

# name on the command line: (module with `app`, one line for `sietch --help`)
GROUPS: dict[str, tuple[str, str]] = {
    "serve": ("services.cli.serve", "Run one service in the foreground."),
    "up": ("services.cli.up", "Start everything on this machine."),
    "play": ("services.cli.play", "Play a whole game by bots."),
    "room": ("services.cli.room", "A room's name in logs."),
    "profile": ("services.cli.profile", "Start one lobby in a named setup."),
    "rules": ("services.cli.rules", "Which code and cases stand behind each rule."),
    "case": ("services.cli.case", "Run conformance cases."),
    "metrics": ("services.cli.metrics", "What the services count."),
    "verify": ("services.cli.verify", "Judge a deployment over HTTP, and what it stored."),
}


def build(words: Sequence[str]) -> typer.Typer:
    """The command line for these words: the group that they call is imported, the others are only listed."""
    app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, add_completion=False)
    app.callback()(root)
    called = next((word for word in words if not word.startswith("-")), None)
    for name, (module, text) in GROUPS.items():
        group = importlib.import_module(module).app if name == called else _listed()
        app.add_typer(group, name=name, help=None if name == called else text)
    return app


def root() -> None:
    """Sietch hosts games of spice, water and treachery for people and programs."""


def _listed() -> typer.Typer:
    group = typer.Typer()
    group.callback()(lambda: None)
    return group


def main() -> None:
    """Run the command line; what a person did wrong ends with one line and code 1, without a trace."""
    from services.embedded.errors import EmbeddedError
    from shared.ops.settings import SettingsError

    try:
        build(sys.argv[1:])()
    except (EmbeddedError, SettingsError) as error:
        print(f"sietch: {error}", file=sys.stderr)
        sys.exit(1)
