"""Whole games by bots are, event for event, the games that one process plays: no rule differs, none is skipped."""

from __future__ import annotations

from functools import partial

from services.arena.local import play_game
from services.arena.remote import RemoteError, play_remote
from services.arena.report import factions_for
from services.verifier.plan import Run
from shared.dune.settings import Mode, Settings

Game = tuple[int, Mode, str, int]
"""Seats, mode, policy, last turn."""
GAMES: tuple[Game, ...] = (
    (6, "basic", "easy", 4),
    (3, "basic", "random", 5),
    (2, "basic", "easy", 6),
    (4, "advanced", "easy", 3),
    (5, "advanced", "random", 3),
)
QUICK: tuple[Game, ...] = ((3, "basic", "easy", 2),)
PATIENCE = 60.0


def check(run: Run) -> None:
    """Play the same games here and there."""
    games = QUICK if run.plan.quick else GAMES
    run.at_once(
        [
            (f"{game[0]} seats, {game[1]}, {game[2]}", partial(_alike, run, number, game))
            for number, game in enumerate(games)
        ]
    )


def _alike(run: Run, number: int, game: Game) -> None:
    """One game here, and the same there."""
    seats, mode, policy, last_turn = game
    seed = run.chance(f"bots:{number}").getrandbits(30)
    factions = factions_for(seats, seed)
    settings = Settings(seats=factions, last_turn=last_turn, mode=mode)
    alone = play_game(settings, seed, policy, lambda told: run.tick())
    where = f"a game of {seats} {policy} bots, {mode}, seed {seed}"
    try:
        through = play_remote(
            run.plan.url, factions, seed, mode, last_turn, policy, lambda view: run.tick(), PATIENCE
        )
    except RemoteError as wrong:
        run.found(str(wrong), where, "the whole game")
        return
    run.count("games")
    run.count("commits", through.commits)
    same = (through.digest, through.commits) == (alone.digest, alone.commits)
    what = f"{through.commits} commits, digest {through.digest[:16]}"
    run.expect(same, what, where, f"{alone.commits} commits, digest {alone.digest[:16]}, as in one process")
