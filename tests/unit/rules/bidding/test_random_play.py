"""Random play over Bidding and Revival: census, round trip, every drawn answer accepted, two worlds; all rulings."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from services.rules.census import check_census
from services.rules.engine.game import Decision, Game, answer, load
from services.rules.staging import stage
from shared.dune import facts
from shared.dune.offers import Checkpoint, Offer
from shared.dune.rulings import rulings
from shared.dune.table import Table
from tests.property.twoworlds import check_two_worlds

FACTIONS = ("atreides", "fremen", "harkonnen", "bene_gesserit", "guild", "emperor")
RULINGS = (
    "karama_scope",
    "pass_is_final",
    "auction_return_order",
    "emperor_contribution",
    "leader_cycle",
    "leader_trigger",
)


def seat_table(rng: random.Random, seat: str, pool: list[str]) -> dict[str, Any]:
    """Spice, cards, and what lies in the tanks."""
    limit = facts.faction(seat).hand_limit
    leaders = list(facts.leaders_of(seat))
    rng.shuffle(leaders)
    dead = leaders[: rng.choice((0, 1, 3, 5, 5))]
    down = [dead.pop()] if len(dead) > 1 and rng.random() < 0.4 else []
    tanks = {"leaders": dead, **({"regular": n} if (n := rng.choice((0, 1, 2, 6))) else {})}
    hand = [pool.pop() for _ in range(min(rng.randint(0, limit), len(pool)))]
    return {"spice": rng.choice((0, 1, 3, 5, 20)), "hand": hand, "tanks": tanks, "tanks_down": down}


def random_table(rng: random.Random, phase: str) -> dict[str, Any]:
    """A table as one of these phases finds it, with any rulings that it knows."""
    seats = rng.sample(FACTIONS, rng.randint(2, 6))
    pool = [f.id for f in facts.treachery_cards().values() if f.set == "base" for _ in range(f.count)]
    rng.shuffle(pool)
    chosen = {name: rng.choice(rulings()[name].offered) for name in RULINGS}
    table: dict[str, Any] = {"seats": seats, "phase": phase, "storm": rng.randint(1, 18), "rulings": chosen}
    for seat in seats:
        table[seat] = seat_table(rng, seat, pool)
    pairs = rng.sample(seats, len(seats)) if len(seats) > 2 else []
    for one, other in zip(pairs[::2], pairs[1::2], strict=False):
        table[one]["ally"], table[other]["ally"] = other, one
    if rng.random() < 0.3:
        table["discard"] = {"treachery": pool[: rng.randint(0, len(pool))]}
    return table


def next_offer(rng: random.Random, game: Game) -> Offer:
    """Mostly what is asked; sometimes a promise or a Ghola."""
    kinds = ("promise", "ghola")
    anytime = [o for seat in game.table.seats for o in game.offers_of(seat) if o.kind in kinds]
    if anytime and rng.random() < 0.15:
        return rng.choice(anytime)
    return rng.choice([offer for offer in game.open if offer.committed is None])


def drawn(rng: random.Random, offer: Offer) -> Any:
    """A legal answer; windows are mostly passed."""
    if offer.kind.startswith("window.") and rng.random() < 0.8:
        return {"do": "pass"}
    try:
        return offer.choice.sample(rng)
    except LookupError:
        return offer.default


def reloaded(game: Game) -> Game:
    """The game after a round trip through JSON."""
    saved = game.checkpoint()
    table = msgspec.json.decode(msgspec.json.encode(game.table), type=Table)
    return load(table, msgspec.json.decode(msgspec.json.encode(saved), type=Checkpoint))


@pytest.mark.parametrize("phase", ["bidding", "revival"])
@pytest.mark.parametrize("seed", range(15))
def test_random_play(seed: int, phase: str) -> None:
    """The phase ends, and every law holds on the way."""
    rng = random.Random(seed)
    decision = stage(random_table(rng, phase))
    for _ in range(400):
        game = decision.game
        if game.table.phase != phase:
            assert not [name for name in game.table.spice if name.startswith("escrow.")]
            return
        check_census(game.table)
        assert reloaded(game) == game
        if rng.random() < 0.15:
            check_two_worlds(game, rng)
        offer = next_offer(rng, game)
        following = answer(game, offer.seat, offer.id, drawn(rng, offer))
        assert isinstance(following, Decision), (offer, following)
        decision = following
    pytest.fail("the phase does not end")
