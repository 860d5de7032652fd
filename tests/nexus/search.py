"""Look for whole games that come to each effect of a Nexus card early: `python -m tests.nexus.search --games 300`.

It writes `games.toml`; with `--more` it keeps what stands there and goes on to what is missing, with players who aim at
it where there are such. After the rules were mended a game may run otherwise than it was found: look again then.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable

from msgspec.structs import replace

from services.rules.engine.game import Decision, Game, answer
from shared.dune.rulesets import rulesets
from shared.dune.settings import Mode
from tests.nexus.aims import AIMS
from tests.nexus.effects import EFFECTS
from tests.nexus.games import FILE, Moment, Row, begun, moment_in, moved, rows, stops, with_

MOST_TURNS = 7
MODES: tuple[Mode, ...] = ("basic", "advanced")
CLASSIC = rulesets()["base-1"].factions


def main() -> None:
    """Search and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--games", type=int, default=100)
    options.add_argument("--first", type=int, default=1)
    options.add_argument("--more", action="store_true")
    given = options.parse_args()
    best = {name: row for name, row in rows().items() if holds(row)} if given.more else {}
    for seed in range(given.first, given.first + given.games):
        look(drawn(seed, missing(best) if given.more else []), best)
        print(f"{seed}: {len(best)} found; without: {', '.join(missing(best))}", flush=True)
        FILE.write_text(written(best.values()), "utf-8")


def holds(row: Row) -> bool:
    """Whether the game of a row still comes to its moment."""
    game, met = begun(row), list[Moment]()
    for _ in range(row.at):
        if game.table.result is not None:
            return False
        game = moved(game, row.aim)
    moment_in(game, [row.effect], met.append)
    return any((m.seat, m.offer.kind) == (row.seat, row.kind) and _stopped(game, m, row) for m in met)


def soonest(kinds: str) -> Row:
    """The row that comes soonest to a question whose kind begins so, of those whose game still does."""
    found = sorted((row for row in rows().values() if row.kind.startswith(kinds)), key=lambda row: row.at)
    return next(row for row in found if holds(row))


def _stopped(game: Game, moment: Moment, row: Row) -> bool:
    return not row.counter or cancelling(game, moment, row.aim) == row.counter


def missing(best: Iterable[str]) -> list[str]:
    """Effects to which no game has come yet."""
    return [effect for effect in EFFECTS if effect not in best]


def drawn(seed: int, wanted: list[str]) -> Row:
    """A game's composition by its seed: mode, decks, and four to six factions in some order, such as may come to it.

    Where players can aim at something that is wanted, as many as may be, in the mode with two blows a turn.
    """
    rng = random.Random(seed)
    mode, decks = rng.choice(MODES), rng.choice(rulesets()["base-1"].decks)
    if aims := [effect for effect in wanted if effect in AIMS]:
        aim = rng.choice(aims)
        while True:
            seats = tuple(rng.sample(CLASSIC, 5 if EFFECTS[aim][1] == "secret_ally" else 6))
            if fits(seats, *EFFECTS[aim]):
                return Row("", "advanced", decks, seats, seed, 0, "", "", aim=aim)
    while True:
        seats = tuple(rng.sample(CLASSIC, rng.choice((4, 5, 5, 6))))
        if not wanted or any(fits(seats, *EFFECTS[effect]) for effect in wanted):
            return Row("", mode, decks, seats, seed, 0, "", "")


def fits(seats: tuple[str, ...], native: str, panel: str) -> bool:
    """Whether somebody without an ally could hold the card for this panel: the last two are allies."""
    if panel == "cunning":
        return native in seats[:-2]
    return (native in seats[-2:]) if panel == "betrayal" else native not in seats


def look(row: Row, best: dict[str, Row]) -> None:
    """Play a game and keep what it comes to sooner than those before."""
    game, at = begun(row), 0
    wanted = [row.aim] if row.aim else list(EFFECTS)
    worst = max((best[e].at for e in EFFECTS if e in best), default=0) if not missing(best) else 10**9
    while game.table.result is None and (row.aim or game.table.turn <= MOST_TURNS) and at < worst:
        met: list[Moment] = []
        moment_in(game, wanted, met.append)
        for moment in met:
            found = replace(row, effect=moment.effect, at=at, seat=moment.seat, kind=moment.offer.kind)
            keep(found, best)
            if holder := cancelling(game, moment, row.aim):
                keep(replace(found, counter=holder), best)
        if row.aim in best:
            return
        game, at = moved(game, row.aim), at + 1


def keep(row: Row, best: dict[str, Row]) -> None:
    """The earliest of each name."""
    if row.name not in best or row.at < best[row.name].at:
        best[row.name] = row


def cancelling(game: Game, moment: Moment, aim: str) -> str:
    """Who can cancel the use once it is declared, with a Karama in its hand; empty if nobody."""
    if not any(
        "karama" in card for seat in game.table.seats for card in game.table.zones.get(f"hand.{seat}", ())
    ):
        return ""
    try:
        given = with_(moment.offer, moment.effect)
    except LookupError:
        return ""
    decision = answer(game, moment.seat, moment.offer.id, given)
    if not isinstance(decision, Decision):
        return ""
    game = decision.game
    for _ in range(8):
        for offer in game.open:
            if stops(offer):
                return offer.seat
        if game.table.result is not None or not any(offer.committed is None for offer in game.open):
            return ""
        game = moved(game, aim)
    return ""


def written(found: Iterable[Row]) -> str:
    """The file's text."""
    lines = ["# Written by `python -m tests.nexus.search`.\n"]
    for row in sorted(found, key=lambda row: row.name):
        lines.append("[[game]]")
        for key in row.__struct_fields__:
            value = getattr(row, key)
            if value == "":
                continue
            shown = list(value) if isinstance(value, tuple) else value
            lines.append(f"{key} = {shown!r}".replace("'", '"'))
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
