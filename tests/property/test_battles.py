"""Advanced battles on crowded tables, where everything that a battle knows comes together: every law in each.

Whole games meet few battles between factions that are strong at it; here each table is full of them.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from services.rules.engine.game import Decision, Game, answer, find_offer
from services.rules.staging import stage
from shared.dune import facts
from shared.dune.events import Event, evolve
from shared.dune.events.battle import BattleEnded, PlanRevealed
from shared.dune.offers import Offer
from shared.dune.rulings import rulings
from shared.dune.table import Table
from tests.property.exact_battles import Fought
from tests.property.exact_plans import Legal, every_part
from tests.property.laws import Tally, hold_laws
from tests.property.players import CLASSIC, next_answer, sampled

BATTLES = int(os.environ.get("SIETCH_LAWS_BATTLES", "4"))
FIRST = int(os.environ.get("SIETCH_LAWS_SEED", "1"))
PLACES = ("red_chasm:6", "arrakeen:9", "old_gap:9", "habbanya_sietch:16")
ELITES = {"emperor": ("sardaukar", 5), "fremen": ("fedaykin", 3)}


def crowded(rng: random.Random) -> dict[str, Any]:
    """A table in its Battle Phase: elites, captives, many cards, some dead leaders, a ripe Kwisatz Haderach."""
    seats = rng.sample(CLASSIC, rng.randint(2, 4))
    offered = [r for r in rulings().values() if not r.why_absent("advanced", (), ("base",))]
    table: dict[str, Any] = {
        "mode": "advanced",
        "seats": seats,
        "phase": "battle",
        "storm": 18,
        "seed": rng.randrange(1 << 30),
        "rulings": {
            r.name: value
            for r in offered
            if rng.random() < 0.15 and (value := rng.choice(r.offered)) != r.default
        },
    }
    cards = [f.id for f in facts.treachery_cards().values() if f.set == "base" for _ in range(f.count)]
    traitors = [leader for seat in seats for leader in facts.leaders_of(seat)]
    rng.shuffle(cards)
    rng.shuffle(traitors)
    cards.sort(key=lambda card: card != "karama" or rng.random() < 0.3)
    for place in PLACES:
        for seat in rng.sample(seats, 2):
            own = table.setdefault(seat, {})
            own.setdefault("forces", {})[place] = _group(rng, own, seat)
    for seat in seats:
        _furnish(rng, table.setdefault(seat, {}), seat, cards, traitors)
    if "harkonnen" in seats and rng.random() < 0.6:
        others = [seat for seat in seats if seat != "harkonnen"]
        victim = rng.choice(others)
        alive = [one for one in facts.leaders_of(victim) if one not in table[victim]["tanks"]["leaders"]]
        table["harkonnen"]["captives"] = rng.sample(alive, min(2, len(alive)))
    return table


def _group(rng: random.Random, seat: dict[str, Any], faction: str) -> dict[str, int]:
    kinds = {"regular": rng.randint(1, 3)}
    if faction in ELITES:
        kind, number = ELITES[faction]
        left = number - sum(group.get(kind, 0) for group in seat.get("forces", {}).values())
        if there := rng.randint(0, min(2, left)):
            kinds[kind] = there
    return kinds


def _furnish(
    rng: random.Random, seat: dict[str, Any], faction: str, cards: list[str], traitors: list[str]
) -> None:
    dead = rng.sample(facts.leaders_of(faction), rng.choice((0, 1, 3, 4)))
    seat |= {
        "spice": rng.randint(0, 6),
        "hand": [cards.pop(0) for _ in range(rng.randint(1, 4))],
        "tanks": {"leaders": dead},
        "traitors": [traitors.pop() for _ in range(3 if faction == "harkonnen" else 1)],
    }
    if faction == "atreides":
        seat["secrets"] = {"kwisatz_haderach.lost": rng.randint(3, 8)}


@pytest.mark.parametrize("seed", range(FIRST, FIRST + BATTLES))
def test_laws_hold_in_advanced_battles(seed: int, record_property: Callable[[str, object], None]) -> None:
    """Census, round trip, fold, acceptance, refusals, sequences, two worlds: to the end of the Battle Phase."""
    tally = Tally()
    game = stage(crowded(random.Random(seed))).game
    try:
        hold_laws(game, game.table, seed, tally, phase="battle")
    except AssertionError as wrong:
        raise AssertionError(f"{wrong}\nreplay: SIETCH_LAWS_SEED={seed} SIETCH_LAWS_BATTLES=1") from wrong
    finally:
        record_property("laws", json.dumps(tally.as_json()))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + BATTLES))
def test_exactly_the_plans_and_results_that_the_rules_allow(seed: int) -> None:
    """Every leader with every cards, every dial with every amount of spice, whatever binds them; and how it ends.

    [BATTLE-10..BATTLE-58, BG-12, ATR-09, TRUTH-06]
    """
    rng = random.Random(seed)
    table = crowded(rng)
    game = stage(table if seed % 2 else _with_cards(rng, table)).game
    asked, seen = set[str](), _Seen()
    while game.table.result is None and game.table.phase == "battle":
        for offer in game.open:
            if offer.kind == "battle_plan" and offer.id not in asked:
                asked.add(offer.id)
                _exact(game.table, offer)
        offer, given = _by_card(game, rng) or next_answer(game, rng)
        outcome = answer(game, offer.seat, offer.id, given)
        assert isinstance(outcome, Decision)
        seen.see(game.table, outcome.events)
        game = outcome.game


def _with_cards(rng: random.Random, table: dict[str, Any]) -> dict[str, Any]:
    """Everybody holds a Nexus card; the Emperor has battles without Sardaukar, with enough others. [NEXUS-EMP-01]"""
    faces = rng.sample(("atreides", "bene_gesserit", "emperor", "harkonnen", "moritani"), len(table["seats"]))
    if "emperor" in table["seats"] and "emperor" in faces and rng.random() < 0.7:
        faces.remove("emperor")
        faces.insert(table["seats"].index("emperor"), "emperor")
    held = {seat: {**table[seat], "nexus": face} for seat, face in zip(table["seats"], faces, strict=True)}
    if held.get("emperor", {}).get("nexus") == "emperor" and "forces" in held["emperor"]:
        held["emperor"]["forces"] = {place: {"regular": 5} for place in [*held["emperor"]["forces"]][:3]}
    return {**table, **held, "modules": ["nexus"]}


def _by_card(game: Game, rng: random.Random) -> tuple[Offer, Any] | None:
    """Whoever holds a Nexus card for this moment plays it, as often as not."""
    rows = [row for row in game.standing if row.kind == "nexus_card"]
    if not rows or rng.random() < 0.5:
        return None
    row = rng.choice(rows)
    offer = find_offer(game, row.seat, row.id)
    assert offer is not None
    return offer, sampled(offer, rng)


class _Seen:
    """The battles as they are fought."""

    def __init__(self) -> None:
        self._table, self._events = Table(), list[Event]()

    def see(self, table: Table, events: tuple[Event, ...]) -> None:
        """From the first plan revealed to the end of the battle, which is held against the rules."""
        for event in events:
            if self._events or isinstance(event, PlanRevealed):
                self._table = self._table if self._events else table
                self._events.append(event)
            if isinstance(event, BattleEnded) and self._events:
                Fought(self._table, self._events).check()
                self._events = []
            table = evolve(table, event)


def _exact(table: Table, offer: Offer) -> None:
    legal = Legal(table, offer.seat)
    dial, spice = min(legal.dials)
    for part in every_part(table, offer.seat):
        found = offer.problem({**part, "dial": dial, "spice": spice})
        assert (found is None) == (part in legal.parts), f"{offer.seat} {part}: {found}"
    for pair in product(range(max(legal.dials)[0] + 2), range(max(paid for _, paid in legal.dials) + 2)):
        found = offer.problem({**legal.parts[0], "dial": pair[0], "spice": pair[1]})
        assert (found is None) == (pair in legal.dials), f"{offer.seat} {pair}: {found}"
