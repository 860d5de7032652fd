"""A number explains itself: the lines lead to it, and each names a rule that there is."""

from __future__ import annotations

import random

import pytest

from services.ruleindex.index import build
from services.rules.engine.explaining import Why, explained, explains, told
from services.rules.engine.game import Decision, answer
from services.rules.engine.loader import load_rules
from services.rules.newgame import begin
from services.rules.staging import stage
from shared.dune.sentences import sentences
from shared.dune.settings import Settings
from shared.dune.table import Table

load_rules()
SEATS = ["fremen", "harkonnen", "guild", "emperor"]
TABLE = {
    "mode": "advanced",
    "seats": SEATS,
    "phase": "battle",
    "turn": 2,
    "storm": 18,
    "fremen": {"forces": {"arrakeen": {"regular": 3, "fedaykin": 2}}, "spice": 4, "ally": "guild"},
    "harkonnen": {"forces": {"arrakeen": 5, "carthag": 3}, "spice": 1},
}


def table(**changes: object) -> Table:
    staged = stage({**TABLE, **changes})
    assert isinstance(staged, Decision)
    return staged.game.table


def found(where: Table, seat: str, topic: str, about: str = "") -> Why:
    (why,) = [w for w in explained(where, seat) if w.topic == topic and about in w.about]
    return why


def lines(why: Why) -> list[tuple[int, str]]:
    return [(line.value, line.rule) for line in why.lines]


@pytest.mark.parametrize(
    ("seat", "topic", "about", "wanted"),
    [
        ("harkonnen", "hand limit", "", [(8, "START-24")]),
        ("guild", "hand limit", "", [(4, "START-24")]),
        ("harkonnen", "charity", "", [(1, "CHARITY-01")]),
        ("fremen", "charity", "", [(0, "CHARITY-01")]),
        ("fremen", "revival", "free", [(3, "REVIVAL-03")]),
        ("harkonnen", "revival", "Price of 3 forces", [(2, "REVIVAL-04")]),
        ("emperor", "shipment", "reserves: 2 forces to any other", [(4, "SHIP-05"), (4, "GUILD-03")]),
        (
            "guild",
            "shipment",
            "your reserves: 2 forces to any",
            [(4, "SHIP-05"), (2, "GUILD-06"), (2, "SHIP-07")],
        ),
        ("fremen", "shipment", "free", [(0, "FRE-03")]),
        (
            "fremen",
            "shipment",
            "territory to another: 2 forces into a stronghold",
            [(2, "SHIP-05"), (1, "GUILD-17"), (1, "GUILD-03")],
        ),
        ("harkonnen", "collection", "Income of Carthag", [(2, "COLLECT-07")]),
        ("harkonnen", "strength", "a force", [(2, "BATTLE-22"), (2, "BATTLE-31")]),
        ("fremen", "strength", "all your forces", [(6, "BATTLE-22"), (14, "BATTLE-22")]),
        ("emperor", "victory", "Strongholds of Harkonnen", [(1, "MENTAT-03")]),
        ("emperor", "victory", "Strongholds of Fremen", [(0, "MENTAT-03")]),
        ("emperor", "victory", "Strongholds that Fremen", [(4, "MENTAT-06")]),
        ("emperor", "victory", "Strongholds that Emperor", [(3, "MENTAT-05")]),
    ],
)
def test_the_lines_lead_to_the_number(
    seat: str, topic: str, about: str, wanted: list[tuple[int, str]]
) -> None:
    why = found(table(), seat, topic, about)
    assert lines(why) == wanted
    assert why.value == wanted[-1][0]


def test_forces_that_count_as_others_are_told_so_in_their_battle_alone() -> None:
    where = table(
        modules=["nexus"],
        phase="shipment",
        emperor={"forces": {"carthag": 6, "tueks_sietch": 5}},
        guild={"forces": {"tueks_sietch": 2}},
        marks={
            "battle.counted_as_sardaukar": 5,
            "battle.sides": ["harkonnen", "emperor"],
            "battle.territory": "carthag",
            "battle.places": ["carthag:10"],
        },
    )
    told_of = {why.about: lines(why) for why in explained(where, "emperor") if why.topic == "strength"}
    assert told_of["Carthag against Harkonnen: a force counted as Sardaukar"][1] == (4, "EMP-07")
    assert told_of["Carthag against Harkonnen: a force"][-1] == (2, "BATTLE-31")
    together = "all your forces, with spice for each that needs it"
    assert told_of[f"Carthag against Harkonnen: {together}"][-1] == (22, "BATTLE-22")
    assert told_of[f"Tuek's Sietch against Spacing Guild: {together}"][-1] == (10, "BATTLE-22")


def test_the_ways_that_a_card_in_hand_would_open_are_told_to_its_holder() -> None:
    where = table(
        modules=["nexus"],
        phase="shipment",
        seats=["fremen", "harkonnen", "emperor"],
        fremen={},
        harkonnen={"nexus": "guild"},
    )
    labels = {w.about.partition(":")[0] for w in explained(where, "harkonnen") if w.topic == "shipment"}
    assert sum("Nexus card" in label for label in labels) == 3
    why = found(
        where, "harkonnen", "shipment", "reserves at half price, with your Nexus card: 2 forces to any"
    )
    assert lines(why) == [(4, "SHIP-05"), (2, "NEXUS-GUILD-27"), (2, "SHIP-07")]
    assert not any("Nexus card" in w.about for w in explained(where, "emperor"))


def test_what_lies_in_one_of_its_places_is_told_with_the_rate_and_the_limit() -> None:
    where = table(
        phase="shipment", harkonnen={"forces": {"carthag": 1, "red_chasm:6": 3}}, spice={"red_chasm:6": 8}
    )
    why = found(where, "harkonnen", "collection", "Red Chasm")
    assert lines(why) == [
        (3, "COLLECT-01"),
        (2, "COLLECT-02"),
        (3, "COLLECT-02"),
        (9, "COLLECT-02"),
        (8, "COLLECT-03"),
    ]


def test_every_number_of_random_games_is_told_by_rules_that_there_are() -> None:
    known = build()
    for seed in (3, 4):
        rng = random.Random(seed)
        mode = "advanced" if seed % 2 else "basic"
        decision = begin(
            Settings(mode=mode, last_turn=3, seats=("atreides", "bene_gesserit", "fremen", "guild")), seed
        )
        assert isinstance(decision, Decision)
        game = decision.game
        while game.table.result is None:
            for seat in game.table.seats if rng.random() < 0.1 else ():
                rows = explained(game.table, seat)
                assert len({(why.topic, why.about) for why in rows}) == len(rows), "each is told once"
                for why in rows:
                    assert why.value == why.lines[-1].value >= 0
                    assert all(line.text and line.rule in known for line in why.lines), why
                    assert all(line.rule in sentences() for line in why.lines), "people can read each rule"
            offer = rng.choice([one for one in game.open if one.committed is None])
            outcome = answer(game, offer.seat, offer.id, offer.choice.sample(rng))
            assert isinstance(outcome, Decision)
            game = outcome.game


def test_a_topic_is_explained_by_one_and_never_without_a_line() -> None:
    with pytest.raises(ValueError, match="already"):
        explains("charity")(lambda table, seat: ())
    with pytest.raises(ValueError, match="nothing says why"):
        told("charity", "nothing", ())
