"""What is worked out in short equals what it stands for, at every decision of random games."""

from __future__ import annotations

import random

import msgspec
import pytest

from services.rules.engine.game import Decision, Game, answer
from services.rules.engine.standing import open_actions, standing_actions
from services.rules.newgame import begin
from services.rules.phases.movement_offer import groups
from services.rules.phases.movement_paths import reachable
from services.rules.phases.movement_quotes import march
from services.rules.phases.presence import only_stay
from services.rules.phases.shipment_offer import ship_offer
from shared.dune import facts
from shared.dune.shapes import Transfer, Variant
from shared.dune.table import RESERVES, TANKS, Table
from tests.property.players import MODE, next_answer, settings_for

SEEDS = range(900, 904)
MOST_BYTES = 16_000 if MODE == "basic" else 20_000
"""Of a checkpoint: it is stored, sent and read by four processes at every decision.

The largest, 17.4 KB in Advanced games, hold a Truthtrance asked anew (12 KB: every card, leader and territory) above
what was being asked of six seats.
"""


@pytest.mark.parametrize("seed", SEEDS)
def test_shortcuts_equal_the_long_way_in_a_random_game(seed: int) -> None:
    """The index of occupied places, what is available at any time, and the places that are told together."""
    rng = random.Random(seed)
    decision = begin(settings_for(seed), seed)
    assert isinstance(decision, Decision)
    game = decision.game
    while game.table.result is None:
        _occupied_places(game.table)
        _availability(game)
        _labels(game)
        assert len(msgspec.json.encode(game.checkpoint())) < MOST_BYTES
        _listing(game)
        _shipments(game)
        _moves(game.table)
        offer, given = next_answer(game, rng)
        outcome = answer(game, offer.seat, offer.id, given)
        assert isinstance(outcome, Decision)
        game = outcome.game


def _occupied_places(table: Table) -> None:
    board = {place: there for place, there in table.forces.items() if place not in (RESERVES, TANKS)}
    for faction in table.seats:
        places = {place: sum(there[faction].values()) for place, there in board.items() if faction in there}
        assert table.places_of(faction) == places
        assert table.territories_of(faction) == {facts.territory_of(place).id for place in places}
    for territory in facts.territories():
        found: dict[str, int] = {}
        for place in facts.locations_of(territory):
            for faction, kinds in board.get(place, {}).items():
                found[faction] = found.get(faction, 0) + sum(kinds.values())
        assert table.factions_in(territory) == found


def _availability(game: Game) -> None:
    for action in standing_actions().values():
        for seat in game.table.seats:
            can = action.available(game.table, seat, game.stack)
            assert can == (action.choice(game.table, seat, game.stack) is not None), (action.kind, seat)


def _listing(game: Game) -> None:
    """What is kept from decision to decision is what all actions say when they are asked anew."""
    table, stack, seats = game.table, game.stack, game.table.seats
    can = [(s, a.kind) for s in seats for a in open_actions(table, stack) if a.available(table, s, stack)]
    assert [(row.seat, row.kind) for row in game.standing] == can


def _labels(game: Game) -> None:
    """What is off is told by its reason alone: its name stands among the labels."""
    for offer in game.open:
        if isinstance(offer.choice, Variant):
            assert offer.choice.off.keys() <= offer.choice.labels.keys(), offer.kind


def _shipments(game: Game) -> None:
    """Every location is told once, with all sources that lie in other territories; whatever is off says why."""
    for seat in (offer.seat for offer in game.open if offer.kind == "ship"):
        choice = ship_offer(game.table, seat).choice
        assert isinstance(choice, Variant)
        for shape in _transfers(choice):
            told = [place for target in shape.targets for place in target.places]
            assert sorted(told) == sorted(facts.locations()) or told == [RESERVES]
            for place in told:
                others = [s.place for s in shape.sources if _ground(s.place) != _ground(place)]
                target = shape.target(place)
                assert target is not None and list(target.sources) == others, (seat, place)
                assert bool(target.off) == bool(target.rule)


def _moves(table: Table) -> None:
    """A location is open to exactly the sources from which there is a way, and told at all if one is near enough."""
    for seat in table.seats:
        shape = groups(table, seat)
        starts = {s.place: march(table, seat, stays=only_stay(s.kinds)) for s in shape.sources}
        told = [place for target in shape.targets for place in target.places]
        assert len(told) == len(set(told))
        for place in facts.locations():
            target = shape.target(place)
            ways = [
                start for start, m in starts.items() if place in reachable(start, m.steps, m.barred, m.ends)
            ]
            stops = [start for start in ways if facts.territory_of(place).id not in starts[start].closed]
            assert (list(target.sources) if target else []) == (stops or ways), (seat, place)
            assert (target is not None) == any(
                place in reachable(start, m.steps) for start, m in starts.items()
            )
            assert target is None or ways or target.off


def _transfers(choice: Variant) -> list[Transfer]:
    shapes = [shape for fields in choice.variants.values() for shape in fields.fields.values()]
    return [shape for shape in shapes if isinstance(shape, Transfer)]


def _ground(place: str) -> str:
    return place.partition(":")[0]
