"""Random legal players: any answer that an offer's choices allow, standing offers now and then."""

from __future__ import annotations

import os
import random
from typing import Any

from services.rules.engine.game import Game, find_offer
from shared.dune.offers import Offer
from shared.dune.rulesets import rulesets
from shared.dune.rulings import rulings
from shared.dune.settings import Mode, Settings

CLASSIC = ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen")
STANDING_SHARE = 0.04
"""How often a standing offer is taken up instead of what is asked."""


MODE: Mode = "advanced" if os.environ.get("SIETCH_LAWS_MODE") == "advanced" else "basic"
"""The mode of the random games."""
MODULES = tuple(filter(None, os.environ.get("SIETCH_LAWS_MODULES", "").split(",")))
"""The optional modules of the random games."""
DECKS = rulesets()["base-1"].decks


def settings_for(seed: int) -> Settings:
    """Settings drawn by a seed: 2 to 6 seats, any roster, any last turn now and then, any rulings that are offered."""
    rng = random.Random(seed)
    seats = tuple(rng.sample(CLASSIC, rng.randint(2, 6)))
    decks = rng.choice(DECKS) if MODULES else DECKS[0]
    chosen = {
        r.name: rng.choice(r.offered)
        for r in rulings().values()
        if r.belongs_to(MODE, MODULES, decks) and rng.random() < 0.2
    }
    differing = {name: value for name, value in chosen.items() if value != rulings()[name].default}
    last = rng.choice((3, 6, 10, 10, 10))
    paced = rng.random() < 0.3
    return Settings(MODE, MODULES, decks, seats=seats, rulings=differing, last_turn=last, paced=paced)


def sampled(offer: Offer, rng: random.Random) -> Any:
    """Any legal answer; the default where none is found by trying."""
    try:
        return offer.choice.sample(rng)
    except LookupError:
        return offer.default


def next_answer(game: Game, rng: random.Random) -> tuple[Offer, Any]:
    """Who answers next, and what: any open offer that is not answered yet, or a standing one now and then."""
    waiting = [offer for offer in game.open if offer.committed is None]
    if game.standing and rng.random() < STANDING_SHARE:
        short = rng.choice(game.standing)
        whole = find_offer(game, short.seat, short.id)
        assert whole is not None, f"{short.kind} is listed but cannot be done"
        waiting = [whole]
    offer = rng.choice(waiting)
    return offer, sampled(offer, rng)
