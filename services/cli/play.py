"""`sietch play`: a whole game by bots, through the running services or in one process without them."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from rich.console import Console

from services.arena.local import play_game
from services.arena.remote import RemoteError, play_remote
from services.arena.report import Report, encode, factions_for
from services.embedded.home import address_here
from shared.dune import facts
from shared.dune.settings import Settings

app = typer.Typer(help="Play a whole game by bots.")


@app.callback(invoke_without_command=True)
def play(
    seats: Annotated[int, typer.Option(min=2, max=6, help="How many players.")] = 6,
    mode: Annotated[str, typer.Option(help="basic or advanced")] = "basic",
    seed: Annotated[int, typer.Option(help="The same seed gives the same game.")] = 1,
    last_turn: Annotated[int, typer.Option(min=1, max=facts.common().max_turns, help="The last turn.")] = 10,
    policy: Annotated[str, typer.Option(help="easy or random")] = "easy",
    in_process: Annotated[bool, typer.Option("--in-process", help="Without any service.")] = False,
    url: Annotated[
        str,
        typer.Option(
            help="The deployment's address (default: SIETCH_URL, else where `sietch up` listens here)."
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the report for programs.")] = False,
) -> None:
    """Play to the end and print result, turns, commits, events and seconds."""
    factions = factions_for(seats, seed)
    console = Console(stderr=True, quiet=as_json)
    console.print(f"{', '.join(facts.name(f) for f in factions)}; {mode}; seed {seed}")
    try:
        if in_process:
            settings = Settings(mode=mode, last_turn=last_turn, seats=factions)  # type: ignore[arg-type]
            report = play_game(settings, seed, policy, _LocalProgress(console))
        else:
            address = url or os.environ.get("SIETCH_URL") or address_here() or "http://127.0.0.1:8080"
            report = play_remote(
                address, factions, seed, mode, last_turn, policy, lambda view: _tell(console, view)
            )
    except (RemoteError, ValueError) as wrong:
        print(f"sietch: {wrong}", file=sys.stderr)
        raise typer.Exit(1) from wrong
    print(encode(report) if as_json else _sentence(report))


class _LocalProgress:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: tuple[int, str] = (0, "")

    def __call__(self, game: Any) -> None:
        now = (game.table.turn, game.table.phase)
        if now != self._shown:
            self._shown = now
            _tell(self._console, {"turn": now[0], "phase": now[1]})


def _tell(console: Console, view: dict[str, Any]) -> None:
    console.print(f"turn {view['turn']}, {view['phase'].replace('_', ' ')}", highlight=False)


def _sentence(report: Report) -> str:
    winners = " and ".join(facts.name(winner) for winner in report.result["winners"])
    way = str(report.result["way"]).replace("_", " ")
    return (
        f"{winners} won in turn {report.turns} ({way}): {report.commits} commits, {report.events} events, "
        f"{report.seconds} s, digest {report.digest[:16]}"
    )
