"""A game written down beforehand: who answers what, and what will be stored for it. The seed decides all of it.

The load is thus the same each time, the client thinks nothing while it measures, and the floor can store the very rows.
"""

from __future__ import annotations

import random

import msgspec
from msgspec import Raw, Struct

from services.rules.engine.game import Refusal, answer
from services.rules.newgame import begin
from shared.dune.events import encode_event
from shared.dune.settings import Settings
from tests.property.players import CLASSIC, next_answer

MOST = 20_000
"""More steps than any random game has."""


class Step(Struct, frozen=True):
    """One answer, what is stored for it, and which audiences are shown something."""

    seat: str
    offer: str
    answer: Raw
    events: list[Raw]
    checkpoint: Raw
    shown: list[str]


def written(seed: int, seats: tuple[str, ...] = CLASSIC) -> list[Step]:
    """The whole game of random legal players with this seed, from its first answer on."""
    rng = random.Random(seed)
    game = begin(Settings(seats=seats), seed).game
    steps: list[Step] = []
    while game.table.result is None and len(steps) < MOST:
        offer, given = next_answer(game, rng)
        decision = answer(game, offer.seat, offer.id, given)
        assert not isinstance(decision, Refusal), decision
        before, game = game.sequences, decision.game
        steps.append(
            Step(
                offer.seat,
                offer.id,
                Raw(msgspec.json.encode(given)),
                [Raw(encode_event(event)) for event in decision.events],
                Raw(msgspec.json.encode(game.checkpoint(), order="sorted")),
                [name for name, number in game.sequences.items() if number != before.get(name, 0)],
            )
        )
    return steps
