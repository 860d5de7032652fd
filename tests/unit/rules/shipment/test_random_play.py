"""Random play over Shipment and Movement: the census, the round trip, and every drawn answer accepted; two worlds."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from services.rules.census import check_census
from services.rules.engine.game import Decision, Game, answer, load
from services.rules.staging import stage
from shared.dune import facts
from shared.dune.events import visible
from shared.dune.offers import Checkpoint, Offer
from shared.dune.table import Table
from shared.dune.views import encode_view, view

FACTIONS = ("atreides", "fremen", "harkonnen", "bene_gesserit", "guild", "emperor")
CARDS = ("karama", "karama", "hajr")


def random_table(rng: random.Random) -> dict[str, Any]:
    """A table as this phase finds it: forces anywhere the occupancy limit allows, cards, spice, perhaps an alliance."""
    seats = rng.sample(FACTIONS, rng.randint(2, 6))
    table: dict[str, Any] = {"seats": seats, "phase": "shipment", "storm": rng.randint(1, 18)}
    holders: dict[str, set[str]] = {}
    for seat in seats:
        forces: dict[str, int] = {}
        for _ in range(rng.randint(0, 5)):
            place = rng.choice(list(facts.locations()))
            territory = facts.territory_of(place)
            if territory.is_stronghold and len(holders.setdefault(territory.id, set()) - {seat}) == 2:
                continue
            holders.setdefault(territory.id, set()).add(seat)
            forces[place] = rng.randint(1, 4)
        table[seat] = {"forces": forces, "spice": rng.randint(0, 15), "hand": []}
    for card in CARDS:
        if rng.random() < 0.8:
            table[rng.choice(seats)]["hand"].append(card)
    if len(seats) > 2 and rng.random() < 0.8:
        one, other = rng.sample(seats, 2)
        table[one]["ally"], table[other]["ally"] = other, one
    return table


def drawn(rng: random.Random, offer: Offer) -> Any:
    try:
        return offer.choice.sample(rng)
    except LookupError:
        return offer.default


def next_offer(rng: random.Random, game: Game) -> Offer:
    promises = [o for seat in game.table.seats for o in game.offers_of(seat) if o.kind == "promise"]
    if promises and rng.random() < 0.1:
        return rng.choice(promises)
    return rng.choice([offer for offer in game.open if offer.committed is None])


def reloaded(game: Game) -> Game:
    saved = game.checkpoint()
    table = msgspec.json.decode(msgspec.json.encode(game.table), type=Table)
    return load(table, msgspec.json.decode(msgspec.json.encode(saved), type=Checkpoint))


@pytest.mark.parametrize("seed", range(25))
def test_random_play(seed: int) -> None:
    rng = random.Random(seed)
    decision = stage(random_table(rng))
    for _ in range(400):
        game = decision.game
        check_census(game.table)
        assert reloaded(game) == game
        for territory in facts.territories().values():
            assert not territory.is_stronghold or len(game.table.factions_in(territory.id)) <= 2
        if game.table.phase != "shipment":
            return
        offer = next_offer(rng, game)
        following = answer(game, offer.seat, offer.id, drawn(rng, offer))
        assert isinstance(following, Decision), (offer, following)
        decision = following
    pytest.fail("the phase does not end")


def shown(table: dict[str, Any], watcher: str) -> list[bytes]:
    """All that a watcher gets while everybody else passes everything and ends."""
    decision = stage(table)
    got: list[bytes] = []
    for _ in range(200):
        game = decision.game
        got.append(encode_view(view(game.table, game.checkpoint(), watcher)))
        got.extend(msgspec.json.encode(part) for e in decision.events if (part := visible(e, watcher)))
        if game.table.phase != "shipment":
            return got
        offer = next(offer for offer in game.open if offer.committed is None)
        following = answer(game, offer.seat, offer.id, offer.default)
        assert isinstance(following, Decision)
        decision = following
    raise AssertionError("the phase does not end")


@pytest.mark.parametrize(
    "hidden",
    [
        {"spice": 0},
        {"spice": 30},
        {"hand": ["hajr"]},
        {"hand": ["karama"]},
        {"hand": ["karama"], "spice": 1},
    ],
)
def test_hidden_cards_and_spice_change_nothing_for_others(hidden: dict[str, Any]) -> None:
    """[WINPOL-01, REACT-52]"""
    usual: dict[str, Any] = {"forces": {"carthag": 3}, "spice": 7, "hand": ["shield"]}
    table: dict[str, Any] = {
        "seats": ["atreides", "harkonnen", "fremen", "guild"],
        "phase": "shipment",
        "atreides": {"forces": {"arrakeen": 2}},
        "deck": {"treachery": ["lasgun"]},
    }
    for watcher in ("atreides", "guild", "spectator"):
        one = shown({**table, "harkonnen": usual}, watcher)
        other = shown({**table, "harkonnen": {**usual, **hidden}}, watcher)
        assert one == other
