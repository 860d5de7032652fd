"""Games for the rows that measure in process: random legal six-seat games, and the commits they consist of."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import msgspec

from services.rules.engine.game import Decision, Game, answer
from services.rules.newgame import begin
from shared.dune.events import encode_event
from shared.dune.settings import Mode, Settings
from tests.property.players import CLASSIC, sampled

__all__ = ["Played", "game_at_turn", "play", "recorded", "stored"]


class Played(msgspec.Struct, frozen=True):
    """One commit of a game: the game after it, and the JSON of its events and checkpoint as the store keeps them."""

    game: Game
    events: list[bytes]
    checkpoint: bytes


def play(seed: int, mode: Mode = "basic") -> Iterator[Decision]:
    """A six-seat game by random legal players, decision by decision, from its begin to its end."""
    rng = random.Random(seed)
    decision = begin(Settings(mode, seats=CLASSIC), seed)
    assert isinstance(decision, Decision), decision
    yield decision
    while decision.game.table.result is None:
        offer = rng.choice([offer for offer in decision.game.open if offer.committed is None])
        outcome = answer(decision.game, offer.seat, offer.id, sampled(offer, rng))
        assert isinstance(outcome, Decision), f"{offer.kind}: {outcome}"
        decision = outcome
        yield decision


def stored(decision: Decision) -> Played:
    """What a decision leaves in the store."""
    saved = msgspec.json.encode(decision.game.checkpoint(), order="sorted")
    return Played(decision.game, [encode_event(event) for event in decision.events], saved)


@cache
def recorded(commits: int, seed: int = 1) -> list[Played]:
    """The first so many commits of a random game (of the first seed from here whose game is that long)."""
    for number in range(seed, seed + 100):
        made = []
        for decision in play(number):
            made.append(stored(decision))
            if len(made) == commits:
                return made
    raise LookupError(f"no game among seeds {seed} to {seed + 99} has {commits} commits")


@cache
def game_at_turn(turn: int) -> Game:
    """A random game as it stands when a turn begins."""
    for seed in range(1, 100):
        for decision in play(seed):
            if decision.game.table.turn == turn:
                return decision.game
    raise LookupError(f"no game among seeds 1 to 99 comes to turn {turn}")
