"""How often a seat is asked in a six-seat Advanced game, by kind, without standing orders and with sensible ones.

`make asked GAMES=10`: the same seeds both ways, played by the easy bot's policy. Sensible is what a person would say at
the table: while it holds no card that could be used in a window, it passes them all; while it holds one, it passes the
small things of others and is asked about the rest. It changes its orders when that changes, and each change is counted.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import Any

import typer

from services.bot.policies.easy import EasyPolicy
from services.rules.engine.game import Decision, Game, answer
from services.rules.engine.loader import load_rules
from services.rules.engine.orders import EVERY, SMALL
from services.rules.newgame import begin
from services.rules.phases.karama import karama_cards
from shared.dune.facts import face
from shared.dune.settings import Settings
from shared.dune.views import view
from tests.property.players import CLASSIC

__all__ = ["Asked", "played"]

PLAYED_IN_WINDOWS = ("weather_control", "family_atomics", "recruits")
"""Cards that are played as an answer in a window, beside those that serve as Karama."""
NONE, SENSIBLE = "none", "sensible"


class Asked:
    """What seats were asked: kinds of questions with how often, turns that were played."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.turns = 0
        self.games = 0
        self.held = 0

    @property
    def windows(self) -> int:
        """Questions about what others do."""
        return sum(number for kind, number in self.kinds.items() if kind.startswith("window."))

    def lines(self, title: str) -> list[str]:
        """What is printed of it: a seat's share of a game and of a turn, then every kind."""
        total, orders = self.kinds.total() - self.kinds["orders"], self.kinds["orders"]
        seats, turns = self.games * len(CLASSIC), self.turns * len(CLASSIC)
        told = ", ".join(f"{kind} {number / seats:.1f}" for kind, number in self.kinds.most_common())
        return [
            f"{title}: a seat is asked {total / seats:.0f} times a game, {total / turns:.1f} times a turn; "
            f"{(total - self.windows) / seats:.0f} of them its own affairs, {self.windows / seats:.0f} windows "
            f"({self.held / seats:.0f} while it holds what could be used there); {orders / seats:.1f} orders given",
            f"  a seat and game: {told}",
        ]


def played(seed: int, orders: str, asked: Asked) -> None:
    """Play one game and count what its seats are asked."""
    rng, policy = random.Random(seed), EasyPolicy()
    decision = begin(Settings("advanced", seats=CLASSIC), seed)
    assert isinstance(decision, Decision)
    game, said = decision.game, dict.fromkeys(CLASSIC, "")
    while game.table.result is None:
        if orders == SENSIBLE:
            game = _with_orders(game, said, asked)
        offer = rng.choice([offer for offer in game.open if offer.committed is None])
        asked.kinds[offer.kind] += 1
        asked.held += offer.kind.startswith("window.") and can_be_used(game, offer.seat)
        given = policy.decide(view(game.table, game.checkpoint(), offer.seat), offer, rng)
        game = _after(answer(game, offer.seat, offer.id, given))
    asked.turns += game.table.turn
    asked.games += 1


def can_be_used(game: Game, seat: str) -> bool:
    """Whether a seat holds a card that it could use in some window: it knows, the others do not."""
    hand = game.table.hand(seat)
    return bool(karama_cards(game.table, seat)) or any(face(card) in PLAYED_IN_WINDOWS for card in hand)


def _with_orders(game: Game, said: dict[str, str], asked: Asked) -> Game:
    """The game after each seat has said what fits the cards that it holds now, if it has not said so before."""
    for row in game.standing:
        wanted = SMALL if can_be_used(game, row.seat) else EVERY
        if row.kind != "orders" or said[row.seat] == wanted:
            continue
        said[row.seat] = wanted
        for window, what in ((EVERY, "ask"), (SMALL, "pass")) if wanted == SMALL else ((EVERY, "pass"),):
            order = {"window": window, "answer": what, "until": "game"}
            game = _after(answer(game, row.seat, row.id, order))
            asked.kinds["orders"] += 1
    return game


def _after(outcome: Any) -> Game:
    assert isinstance(outcome, Decision), outcome
    return outcome.game


def main(games: int = typer.Option(10, help="how many games, each played both ways"), seed: int = 1) -> None:
    """Print how often a seat is asked."""
    load_rules()
    print(f"{games} games of six seats, Advanced, seeds from {seed}, the easy policy at every seat")
    for orders in (NONE, SENSIBLE):
        asked = Asked()
        for number in range(seed, seed + games):
            played(number, orders, asked)
            print(f"\r{orders}: game {number - seed + 1} of {games}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        print("\n".join(asked.lines(f"standing orders: {orders}")))


if __name__ == "__main__":
    typer.run(main)
