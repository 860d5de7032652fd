"""Gates that many want to answer at once: however commands come in, one outcome and one spend. [NEXUS-45, NEXUS-52]

`SIETCH_GATE_RACES=5000 pytest tests/property/test_gate_races.py` plays as many.
"""

from __future__ import annotations

import os
import random
from typing import Any

import msgspec
import pytest

from services.rules.engine.game import Decision, Game, Refusal, answer, find_offer, load
from services.rules.staging import stage
from shared.dune.events import Event
from shared.dune.offers import Checkpoint, Offer
from shared.dune.table import Table, zone

RACES = int(os.environ.get("SIETCH_GATE_RACES", "120"))
SEATS = ("harkonnen", "emperor", "atreides", "fremen", "guild")
SHIP = {"do": "ship", "forces": {"from": {"reserves": {"regular": 3}}, "to": "carthag:10"}}
GATE, USE, PASS = "window.nexus.guild_payment", {"do": "nexus_take_payment"}, {"do": "pass"}
Command = tuple[str, str, Any]


def _at_the_gate(holder: str) -> tuple[Game, list[Offer]]:
    """A payment of 3 by Harkonnen, three others asked, one of whom holds the Guild's card."""
    faces = iter(("ecaz", "choam"))
    rows = {seat: {"spice": 2, "nexus": "guild" if seat == holder else next(faces)} for seat in SEATS[1:4]}
    table: dict[str, Any] = {
        "modules": ["nexus"],
        "seats": list(SEATS),
        "circles": [4, 7, 10, 13, 16],
        "storm": 2,
    }
    game = stage(
        {**table, "phase": "shipment", "harkonnen": {"spice": 10}, "guild": {"spice": 5}, **rows}
    ).game
    while not (asked := [offer for offer in game.open if offer.kind == GATE]):
        offer = next(one for one in game.open if one.committed is None)
        game = _taken(
            answer(game, offer.seat, offer.id, SHIP if offer.kind == "ship" else offer.default)
        ).game
    return game, asked


def _taken(outcome: Decision | Refusal) -> Decision:
    assert isinstance(outcome, Decision), outcome
    return outcome


def _commands(asked: list[Offer], rng: random.Random) -> list[Command]:
    """What comes in, in any order: each seat's pass and use, some twice, of others and of gates that never were."""
    own = [(offer.seat, offer.id, said) for offer in asked for said in (PASS, USE)]
    twice = rng.sample(own, rng.randint(1, len(own)))
    foreign = [(rng.choice(SEATS), offer.id, rng.choice((PASS, USE))) for offer in asked]
    stale = [(offer.seat, f"{offer.seat}-{rng.randint(0, 9)}", USE) for offer in asked]
    extra = [(offer.seat, offer.id, {**USE, "receiver": "guild"}) for offer in asked]
    commands = own + twice + foreign + stale + extra
    rng.shuffle(commands)
    return commands


def _stored(game: Game) -> bytes:
    return msgspec.json.encode((game.table, game.checkpoint()), order="sorted")


def _restarted(game: Game) -> Game:
    table, saved = msgspec.json.decode(_stored(game), type=tuple[Table, Checkpoint])
    return load(table, saved)


def _race(seed: int) -> str:
    """Play one race; how it ended."""
    rng = random.Random(seed)
    holder = rng.choice(SEATS[1:4])
    game, asked = _at_the_gate(holder)
    gate = {offer.id for offer in asked}
    events: list[Event] = []
    for seat, name, said in _commands(asked, rng):
        before = _stored(game)
        was_open = name in {offer.id for offer in game.open if offer.seat == seat}
        outcome = answer(game, seat, name, said)
        if isinstance(outcome, Refusal):
            assert _stored(game) == before
            continue
        if name in gate:
            assert was_open and (said == PASS or seat == holder), (seat, said)
            assert find_offer(outcome.game, seat, name) is None, "an answer in a gate is final"
        game, events = outcome.game, [*events, *outcome.events]
        if rng.random() < 0.3:
            game = _restarted(game)
    return _ended(game, holder, [type(event).__name__ for event in events])


def _ended(game: Game, holder: str, names: list[str]) -> str:
    """Either everybody passed or the card was used, and what is due was done once."""
    assert not [offer for offer in game.open if offer.kind == GATE]
    used = names.count("NexusCardPlayed")
    assert names.count("SpicePaid") == 1 and used in (0, 1)
    assert game.table.spice_of("harkonnen") == 7
    assert game.table.spice_of("guild") == (5 if used else 8)
    for seat in SEATS[1:4]:
        assert game.table.spice_of(seat) == (5 if used and seat == holder else 2)
        assert len(zone(game.table, f"nexus.{seat}")) == (0 if used and seat == holder else 1)
    assert zone(game.table, "nexus_discard") == (("nexus_guild",) if used else ())
    return "used" if used else "passed"


@pytest.mark.parametrize("block", range(4))
def test_one_outcome_and_one_spend(block: int) -> None:
    """Final pass against use, stale, foreign, repeated and malformed commands, with restarts between."""
    ways = [_race(seed) for seed in range(block, RACES, 4)]
    assert {"used", "passed"} == set(ways), "both come about"
