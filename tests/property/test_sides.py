"""Advisors and fighters on crowded tables: every law in the phases in which forces come, go, die and turn.

Whole games see few advisors; here they stand everywhere, with allies and enemies, under storm and where a worm comes
next.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from typing import Any

import pytest

from services.rules.engine.rulings import ruling
from services.rules.phases.movement_offer import groups
from services.rules.staging import stage
from shared.dune import facts
from shared.dune.rulings import rulings
from shared.dune.table import Table
from tests.property.laws import Tally, hold_laws
from tests.property.players import CLASSIC

TABLES = int(os.environ.get("SIETCH_LAWS_TABLES", "4"))
FIRST = int(os.environ.get("SIETCH_LAWS_SEED", "1"))
BG = "bene_gesserit"
PHASES = ("shipment", "shipment", "shipment", "storm", "spice_blow", "battle")
TERRITORIES = (
    "arrakeen",
    "carthag",
    "sietch_tabr",
    "old_gap",
    "wind_pass_north",
    "imperial_basin",
    "shield_wall",
    "polar_sink",
    "broken_land",
    "plastic_basin",
)
"""Near each other, so that forces meet; some in the open, some with a spice card, one with ornithopters."""


def crowded(rng: random.Random) -> dict[str, Any]:
    """A table full of Bene Gesserit forces on both sides, with others among them, and often with an ally."""
    seats = [BG, *rng.sample([faction for faction in CLASSIC if faction != BG], rng.randint(1, 4))]
    rng.shuffle(seats)
    table: dict[str, Any] = {
        "mode": "advanced",
        "seats": seats,
        "phase": rng.choice(PHASES),
        "storm": rng.choice((8, 9, 10, 12, 16, 18)),
        "turn": rng.randint(2, 5),
        "seed": rng.randrange(1 << 30),
        "rulings": _some_rulings(rng),
        "deck": {"spice": ["shai_hulud", "red_chasm", "shai_hulud", "the_great_flat"]},
        "discard": {"spice_a": ["wind_pass_north"], "spice_b": ["old_gap"]},
    }
    cards = [
        "karama",
        "karama",
        "kulon",
        "baliset",
        "hajr",
        "family_atomics",
        "weather_control",
        "lasgun",
        "shield",
    ]
    rng.shuffle(cards)
    for seat in seats:
        hand = [cards.pop() for _ in range(rng.randint(0, min(2, len(cards))))]
        table[seat] = {"spice": rng.randint(0, 12), "hand": hand, "forces": {}}
    if rng.random() < 0.6 and len(seats) > 2:
        ally = rng.choice([seat for seat in seats if seat != BG])
        table[BG]["ally"], table[ally]["ally"] = ally, BG
    for territory in rng.sample(TERRITORIES, 7):
        _fill(rng, table, territory)
    return table


def _some_rulings(rng: random.Random) -> dict[str, str]:
    known = [r for r in rulings().values() if not r.why_absent("advanced", (), ("base",))]
    about_sides = [r for r in known if "advisor" in r.name or r.name in OTHERS]
    return {
        r.name: value
        for r in about_sides
        if rng.random() < 0.3 and (value := rng.choice(r.offered)) != r.default
    }


OTHERS = (
    "accompany_lock",
    "ally_pays_guild_shipment",
    "ally_separation",
    "intrusion_by_ally",
    "karama_scope",
    "move_end_on_ally",
    "own_contribution_returns",
)


def _fill(rng: random.Random, table: dict[str, Any], territory: str) -> None:
    """Up to two others, and Bene Gesserit as advisors or as fighters: alone only as these."""
    seats = [seat for seat in table["seats"] if seat != BG]
    others = rng.sample(seats, rng.randint(0, min(2, len(seats))))
    full = len(others) == 2 and facts.territory(territory).is_stronghold
    places = facts.locations_of(territory)
    for seat in others:
        table[seat]["forces"][rng.choice(places)] = rng.randint(1, 2)
    if rng.random() < 0.25:
        return
    side = "advisor" if others and (full or rng.random() < 0.6) else "regular"
    for place in rng.sample(places, rng.randint(1, min(2, len(places)))):
        table[BG]["forces"][place] = {side: rng.randint(1, 2)}


def _moves_as_the_rules_say(table: Table) -> None:
    """Where each group of theirs may go, against a slow search that knows only the rules. [BG-23, BG-30, BG-51]"""
    shape = groups(table, BG)
    for start in table.places_of(BG):
        if not table.in_storm(start):
            open_ = {p for t in shape.open_targets() if start in t.sources for p in t.places}
            assert open_ == _reached(table, start), start


def _reached(table: Table, start: str) -> set[str]:
    """Every place that a group can get to: steps within a territory are free. [MOVE-06, MOVE-08, MOVE-09, MOVE-15]"""
    advisors = "advisor" in table.kinds_at(start, BG)
    flies = any("regular" in table.kinds_at(city, BG) for city in ("arrakeen:9", "carthag:10"))
    edge, seen = {start: 0}, {start: 0}
    while edge:
        grown: dict[str, int] = {}
        for place, steps in edge.items():
            if place != start and not _lets_in(table, place, advisors, passing=True):
                continue
            for near in facts.location(place).neighbours:
                cost = steps + (facts.territory_of(near) != facts.territory_of(place))
                if cost <= (3 if flies and not advisors else 1) and cost < seen.get(near, 99):
                    grown[near] = seen[near] = cost
        edge = {
            place: steps for place, steps in grown.items() if _lets_in(table, place, advisors, passing=False)
        }
    return {
        p
        for p in seen
        if p != start and _lets_in(table, p, advisors, passing=False) and _parts(table, p, advisors)
    }


def _lets_in(table: Table, place: str, advisors: bool, *, passing: bool) -> bool:
    """Storm and the limit of strongholds, which does not bind what is an advisor on arrival."""
    territory = facts.territory_of(place)
    if table.in_storm(place) or not territory.is_stronghold:
        return not table.in_storm(place)
    there = table.forces.get(place, {})
    own = "advisor" in there.get(BG, {})
    if len(there.keys() - {BG}) < 2:
        return True
    if advisors:
        return own or ruling(table, "advisors_in_full_stronghold") == "allowed"
    return own and not passing


def _parts(table: Table, place: str, advisors: bool) -> bool:
    """Nobody stops with an ally, but in the Polar Sink or where a ruling lets them."""
    lives_with = advisors and ruling(table, "advisors_separate") == "off"
    if place == facts.POLAR_SINK or lives_with or ruling(table, "move_end_on_ally") == "on":
        return True
    territory = facts.locations_of(facts.territory_of(place).id)
    return not any(table.ally_of(BG) in table.forces.get(one, {}) for one in territory)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + TABLES))
def test_laws_hold_where_forces_have_two_sides(
    seed: int, record_property: Callable[[str, object], None]
) -> None:
    """Census, one side in a territory, nobody alone as advisor, acceptance, two worlds: to the end of the phase."""
    tally = Tally()
    described = crowded(random.Random(seed))
    game = stage(described).game
    _moves_as_the_rules_say(game.table)
    try:
        hold_laws(game, game.table, seed, tally, phase=described["phase"])
    except AssertionError as wrong:
        raise AssertionError(f"{wrong}\nreplay: SIETCH_LAWS_SEED={seed} SIETCH_LAWS_TABLES=1") from wrong
    finally:
        record_property("laws", json.dumps(tally.as_json()))
