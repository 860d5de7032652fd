"""Games in which seats keep using what they may do at any time: every answer drawn from an offer is accepted."""

from __future__ import annotations

import random

import msgspec
import pytest

from services.rules.census import check_census
from services.rules.engine.game import Decision, Refusal, answer, load
from services.rules.newgame import begin
from shared.dune.offers import Checkpoint
from shared.dune.settings import Settings
from shared.dune.table import Table

SEATS = ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen")
STEPS = 150


@pytest.mark.parametrize("seed", range(4))
def test_anytime_actions_at_any_time(seed: int) -> None:
    """The census holds, and a saved game is the same game, at every step."""
    rng = random.Random(seed)
    decision = begin(Settings(seats=SEATS), seed)
    assert isinstance(decision, Decision)
    for _ in range(STEPS):
        game = decision.game
        check_census(game.table)
        saved = msgspec.json.decode(msgspec.json.encode(game.checkpoint()), type=Checkpoint)
        assert load(msgspec.json.decode(msgspec.json.encode(game.table), type=Table), saved) == game
        pool = [offer for offer in game.open if offer.committed is None]
        if game.standing and rng.random() < 0.5:
            row = rng.choice(game.standing)
            pool = [offer for offer in game.offers_of(row.seat) if offer.id == row.id]
        chosen = rng.choice(pool)
        try:
            given = chosen.choice.sample(rng)
        except LookupError:
            given = chosen.default
        outcome = answer(game, chosen.seat, chosen.id, given)
        assert not isinstance(outcome, Refusal), f"seed {seed}: {chosen.kind} {given}: {outcome}"
        decision = outcome
