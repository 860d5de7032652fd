"""Whole games by bots are, event for event, the games that one process plays: no rule differs, none is skipped."""

from __future__ import annotations

from services.arena.local import play_game
from services.arena.remote import RemoteError, play_remote
from services.arena.report import factions_for
from services.verifier.plan import Run
from shared.dune.settings import Settings

GAMES = ((6, "easy", 4), (3, "random", 5), (2, "easy", 6), (5, "random", 3))
QUICK = ((3, "easy", 2),)
"""Seats, policy, last turn."""
PATIENCE = 60.0


def check(run: Run) -> None:
    """Play the same games here and there."""
    games = QUICK if run.plan.quick else GAMES
    for number, (seats, policy, last_turn) in enumerate(games):
        run.step(number, len(games), f"{seats} seats, {policy}")
        seed = run.chance(f"bots:{number}").getrandbits(30)
        factions = factions_for(seats, seed)
        settings = Settings(seats=factions, last_turn=last_turn)
        alone = play_game(settings, seed, policy, lambda game: run.tick())
        where = f"a game of {seats} {policy} bots, seed {seed}"
        try:
            through = play_remote(
                run.plan.url, factions, seed, "basic", last_turn, policy, lambda view: run.tick(), PATIENCE
            )
        except RemoteError as wrong:
            run.found(str(wrong), where, "the whole game")
            continue
        run.count("games")
        run.count("commits", through.commits)
        same = (through.digest, through.commits) == (alone.digest, alone.commits)
        what = f"{through.commits} commits, digest {through.digest[:16]}"
        run.expect(
            same, what, where, f"{alone.commits} commits, digest {alone.digest[:16]}, as in one process"
        )
