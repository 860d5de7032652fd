"""Who said no to Truthtrance does not do it this turn, whatever is played: a no always leaves a way out."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from services.rules.engine.game import Decision, Game, answer, find_offer
from services.rules.staging import stage
from shared.dune import facts
from shared.dune.events import Event
from shared.dune.events.bidding import BidMade
from shared.dune.events.course import PhaseBegan, TurnBegan
from shared.dune.events.forces import ForcesMoved
from shared.dune.events.nexus import AllianceMade
from shared.dune.events.pledges import PledgeMade
from shared.dune.offers import Offer
from shared.dune.table import RESERVES
from tests.property.players import next_answer
from tests.property.test_sides import crowded

TABLES = int(os.environ.get("SIETCH_LAWS_TABLES", "2"))
FIRST = int(os.environ.get("SIETCH_LAWS_SEED", "1"))
INTENTS = ("will_ship", "will_move", "will_bid", "will_ally")


@pytest.mark.parametrize("seed", range(FIRST, FIRST + TABLES))
def test_a_no_is_kept_to_the_end_of_the_turn(seed: int) -> None:
    """Two who ask as often as they can, and players who try everything. [TRUTH-06, TRUTH-07, TRUTH-08]"""
    rng = random.Random(seed)
    described = {**crowded(rng), "phase": rng.choice(("spice_blow", "bidding", "shipment"))}
    for seat in rng.sample(described["seats"], 2):
        described[seat]["hand"] = ["truthtrance"]
    game = stage(described).game
    turn, phase, promised = game.table.turn, game.table.phase, list[PledgeMade]()
    while game.table.result is None and game.table.turn == turn:
        offer, given = _next(game, rng)
        outcome = answer(game, offer.seat, offer.id, given)
        assert isinstance(outcome, Decision)
        for event in outcome.events:
            phase = event.phase if isinstance(event, PhaseBegan) else phase
            if isinstance(event, TurnBegan):
                return
            if isinstance(event, PledgeMade) and (event.will, event.source) == ("no", "truth"):
                promised.append(event)
            for said in promised:
                assert (said.faction, said.form, said.what) not in _done(event, phase), (said, event)
        game = outcome.game


def _next(game: Game, rng: random.Random) -> tuple[Offer, Any]:
    asking = [short for short in game.standing if short.kind == "truthtrance"]
    if asking and rng.random() < 0.3:
        short = rng.choice(asking)
        whole = find_offer(game, short.seat, short.id)
        assert whole is not None
        for _ in range(20):
            given = whole.choice.sample(rng)
            if given["do"] in INTENTS:
                return whole, given
    return next_answer(game, rng)


def _done(event: Event, phase: str) -> Iterator[tuple[str, str, str]]:
    """What a fact does of all that can be promised: by whom, the form and the thing of the pledge."""
    match event:
        case ForcesMoved(faction, _, source, target, how) if phase == "shipment" and target != RESERVES:
            home = facts.territory_of(target).id
            if how != "accompanying" and source.partition(":")[0] != home:
                yield faction, "move" if how == "movement" else "ship", home
        case BidMade(faction):
            yield faction, "bid", ""
        case AllianceMade(one, other):
            yield one, "ally", other
            yield other, "ally", one
