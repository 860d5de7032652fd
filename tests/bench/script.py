"""A game written down beforehand: who answers what, and what will be stored for it. The seed decides all of it.

The load is thus the same each time, the client thinks nothing while it measures, and the floor can store the very rows.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct

from services.rules.engine.game import Decision, Game, Refusal, answer
from services.rules.newgame import begin
from services.rules.phases.standing_orders import SetOrders
from shared.dune.events import encode_event
from shared.dune.offers import Offer
from shared.dune.settings import Settings
from shared.dune.shapes import Json
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
    return [step for step, _ in played(seed, seats)]


def played(seed: int, seats: tuple[str, ...] = CLASSIC) -> Iterator[tuple[Step, Game]]:
    """The same, each step with the game that it was taken in."""
    rng = random.Random(seed)
    # As room begins it where people sit. Nobody gives a standing order: what it answers waits for a random time.
    game = begin(Settings(seats=seats, paced=True), seed).game
    for _ in range(MOST):
        if game.table.result is not None:
            return
        offer, given = next_answer(game, rng)
        while offer.kind == SetOrders.kind:
            offer, given = next_answer(game, rng)
        decision = answer(game, offer.seat, offer.id, given)
        assert not isinstance(decision, Refusal), decision
        yield _step(game, decision, offer, given), game
        game = decision.game


def _step(game: Game, decision: Decision, offer: Offer, given: Json) -> Step:
    after, before = decision.game.sequences, game.sequences
    return Step(
        offer.seat,
        offer.id,
        Raw(msgspec.json.encode(given)),
        [Raw(encode_event(event)) for event in decision.events],
        Raw(msgspec.json.encode(decision.game.checkpoint(), order="sorted")),
        [name for name, number in after.items() if number != before.get(name, 0)],
    )
