"""What *why?* tells is what happens: its sums against the prices of offers and what is paid, in random games."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable

import pytest

from services.rules.engine.explaining import Why, explained
from services.rules.engine.game import Decision, answer
from services.rules.newgame import begin
from shared.dune import facts
from shared.dune.events import Event, evolve
from shared.dune.events.ending import StrongholdsCounted
from shared.dune.events.forces import SpiceCollected, SpicePaid
from shared.dune.events.pledges import PLEDGES
from shared.dune.offers import Offer
from shared.dune.settings import Settings
from shared.dune.shapes import Fields, Number, Transfer, Variant
from shared.dune.table import RESERVES, Table
from tests.property.players import CLASSIC, next_answer

GAMES = int(os.environ.get("SIETCH_LAWS_WHY", "2"))
FIRST = int(os.environ.get("SIETCH_LAWS_SEED", "1"))
Numbers = dict[str, int]


@pytest.mark.parametrize("seed", range(FIRST, FIRST + GAMES))
def test_what_is_told_is_what_is_paid(seed: int) -> None:
    """Shipments, revivals, charity, strength, collection, income, strongholds, at every decision."""
    seats = CLASSIC if seed % 2 else tuple(random.Random(seed).sample(CLASSIC, 3))
    modules = () if seed % 2 else ("nexus",)
    begun = begin(Settings("advanced", seats=seats, last_turn=4, modules=modules), seed)
    assert isinstance(begun, Decision)
    game, rng, asked = begun.game, random.Random(seed), set[str]()
    while game.table.result is None:
        for offer in (one for one in game.open if one.kind in CHECKS and one.id not in asked):
            asked.add(offer.id)
            CHECKS[offer.kind](offer, _told(game.table, offer.seat), game.table)
        offer, given = next_answer(game, rng)
        outcome = answer(game, offer.seat, offer.id, given)
        assert isinstance(outcome, Decision)
        _happens(game.table, outcome.events)
        game = outcome.game


def _told(table: Table, seat: str) -> Numbers:
    return {why.about: why.value for why in explained(table, seat)}


def _ship(offer: Offer, told: Numbers, table: Table) -> None:
    """The price of two forces by each way to each kind of place. [SHIP-05, SHIP-06]"""
    assert isinstance(offer.choice, Variant)
    for name, fields in offer.choice.variants.items():
        transfer = fields.fields.get("forces")
        if not isinstance(transfer, Transfer) or name.endswith("karama"):
            continue
        label = offer.choice.labels[name]
        for target in transfer.open_targets():
            for place in target.places:
                prices = transfer.prices(target)
                rows = [f"{label}: 2 forces{where}" for where in _where(place)]
                (due,) = {told[row] for row in rows if row in told}
                assert not due if not target.tariff else len(prices) < 2 or prices[1] == due


def _where(place: str) -> Iterable[str]:
    kind = place != RESERVES and facts.territory_of(place).is_stronghold
    return "", " into a stronghold" if kind else " to any other place"


def _revival(offer: Offer, told: Numbers, table: Table) -> None:
    """Free forces, the limit, the prices of forces and of leaders. [REVIVAL-03, REVIVAL-04, REVIVAL-15]"""
    prices, limit = offer.about["prices"], offer.about["limit"]
    assert isinstance(prices, list) and isinstance(limit, int) and isinstance(offer.choice, Variant)
    assert told["Forces that you revive free"] == offer.about["free"]
    assert told["Most forces that you may revive"] == limit
    if limit < len(prices):
        assert told[f"Price of {facts.counted(limit, 'force')} revived"] == int(prices[limit])
    for leader, label in offer.choice.labels.items():
        if leader != "no_leader":
            assert label == f"Revive {facts.name(leader)} for {told[f'Price of {facts.name(leader)}']} spice"


def _charity(offer: Offer, told: Numbers, table: Table) -> None:
    """What may be claimed. [CHARITY-01, BG-20]"""
    assert isinstance(offer.choice, Variant)
    amount = told["Spice that you may claim"]
    assert ("claim" in offer.choice.variants) == (amount > 0)
    assert not amount or offer.choice.labels["claim"] == f"Claim {amount} spice"


def _plan(offer: Offer, told: Numbers, table: Table) -> None:
    """The greatest dial, where there is spice for all. [BATTLE-22, BATTLE-35]"""
    assert isinstance(offer.choice, Fields)
    where = f"{facts.name(str(offer.about['territory']))} against {facts.name(str(offer.about['opponent']))}"
    dial, most = (
        offer.choice.fields["dial"],
        told[f"{where}: all your forces, with spice for each that needs it"],
    )
    bound = (
        any(name.startswith(f"battle.shown.{offer.seat}") for name in table.marks) or PLEDGES in table.marks
    )
    assert isinstance(dial, Number) and dial.high <= most
    assert bound or dial.high == most or table.spice_of(offer.seat) < 20


CHECKS = {"ship": _ship, "revival": _revival, "charity": _charity, "battle_plan": _plan}


def _happens(table: Table, events: tuple[Event, ...]) -> None:
    """What is collected, yielded and counted, each against what was told right before."""
    for event in events:
        match event:
            case SpiceCollected(faction, place, amount):
                assert _topic(table, faction, "collection")[facts.name(place)] == amount
            case SpicePaid(_, amount, receiver, reason) if reason.startswith("income of "):
                name = reason.removeprefix("income of ")
                assert _topic(table, receiver, "collection")[f"Income of {name}"] == amount
            case StrongholdsCounted():
                _counted(table, event)
        table = evolve(table, event)


def _topic(table: Table, seat: str, topic: str) -> Numbers:
    rows: Iterable[Why] = explained(table, seat)
    return {why.about: why.value for why in rows if why.topic == topic}


def _counted(table: Table, counted: StrongholdsCounted) -> None:
    told = _topic(table, table.seats[0], "victory")
    for faction, number in counted.counts.items():
        ally = counted.allies.get(faction)
        names = [one for one in told if one.startswith("Strongholds of ") and facts.name(faction) in one]
        assert [told[name] for name in names] == [number]
        assert not ally or facts.name(ally) in names[0]
