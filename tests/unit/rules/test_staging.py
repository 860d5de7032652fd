"""Staged tables: what a case leaves out is as usual, and a case that describes no possible table is told why."""

from __future__ import annotations

from typing import Any

import pytest

from services.rules.census import check_census
from services.rules.staging import MalformedError, stage
from shared.dune import facts
from shared.dune.table import RESERVES, TANKS

SEATS = ["atreides", "fremen"]


@pytest.mark.parametrize(
    ("described", "told"),
    [
        ({}, "seats"),
        ({"seats": ["atreides"]}, "2 to 6"),
        ({"seats": SEATS, "guild": {}}, "guild"),
        ({"seats": SEATS, "turn": "two"}, "turn"),
        ({"seats": SEATS, "fremen": {"spices": 3}}, "spices"),
        ({"seats": SEATS, "fremen": {"spice": "much"}}, "spice"),
        ({"seats": SEATS, "fremen": {"spice": -3}}, "spice"),
        ({"seats": SEATS, "fremen": {"hand": ["joker"]}}, "joker"),
        ({"seats": SEATS, "fremen": {"hand": ["lasgun", "lasgun"]}}, "lasgun"),
        ({"seats": SEATS, "fremen": {"traitors": ["feyd_rautha"]}}, "feyd_rautha"),
        ({"seats": SEATS, "fremen": {"forces": {"arrakeen": 21}}}, "fremen"),
        ({"seats": SEATS, "fremen": {"forces": {"broken_land": 3}}}, "sector"),
        ({"seats": SEATS, "fremen": {"forces": {"giedi_prime": 3}}}, "giedi_prime"),
        ({"seats": SEATS, "fremen": {"tanks": {"leaders": ["duncan_idaho"]}}}, "duncan_idaho"),
        ({"seats": SEATS, "fremen": {"ally": "guild"}}, "guild"),
        ({"seats": SEATS, "spice": {"giedi_prime": 6}}, "giedi_prime"),
        ({"seats": SEATS, "phase": "tea"}, "tea"),
        ({"seats": SEATS, "phase": "storm", "step": "no_such_step"}, "no_such_step"),
        ({"seats": SEATS, "phase": "setup", "fremen": {"spice": 3}}, "fremen"),
    ],
)
def test_a_table_that_cannot_be_is_told_why(described: dict[str, Any], told: str) -> None:
    """The text names the key, or what is impossible about it."""
    with pytest.raises(MalformedError, match=told):
        stage(described)


def test_what_is_not_stated_is_as_usual() -> None:
    """Forces in reserves, spice as on the sheet, hands empty, leaders alive, the rest shuffled into the decks."""
    table = stage({"seats": SEATS, "phase": "shipment"}).game.table
    check_census(table)
    for seat in SEATS:
        assert table.number_at(RESERVES, seat) == 20
        assert table.spice_of(seat) == facts.faction(seat).spice
        assert table.hand(seat) == ()
        assert table.leaders(seat) == facts.leaders_of(seat)
    assert table.order == ("atreides", "fremen") or table.order == ("fremen", "atreides")


def test_what_is_stated_lies_where_it_was_put() -> None:
    """Forces by kind or number, leaders face up and down, cards on top of the decks in their order."""
    table = stage(
        {
            "seats": SEATS,
            "phase": "shipment",
            "deck": {"treachery": ["hajr", "lasgun"], "spice": ["broken_land", "shai_hulud"]},
            "discard": {"treachery": ["shield"], "spice_a": ["red_chasm"], "spice_b": ["shai_hulud"]},
            "spice": {"red_chasm": 8, "arrakeen:9": 1},
            "marks": {"note": 3},
            "wall": False,
            "atreides": {
                "forces": {"arrakeen": 10, "broken_land:11": {"regular": 2}},
                "tanks": {"regular": 4, "leaders": ["duncan_idaho"]},
                "tanks_down": ["thufir_hawat"],
                "bribes": 3,
                "ally": "fremen",
            },
        }
    ).game.table
    check_census(table)
    assert [facts.face(card) for card in table.zones["treachery_deck"][:2]] == ["hajr", "lasgun"]
    assert [facts.face(card) for card in table.zones["treachery_discard"]] == ["shield"]
    assert table.zones["spice_deck"][0] == "spice_broken_land"
    assert (table.spice_of("arrakeen:9"), table.spice_of("bribe.atreides"), table.count("note")) == (1, 3, 3)
    assert sum(table.spice_of(place) for place in facts.locations_of("red_chasm")) == 8
    assert table.places_of("atreides") == {"arrakeen:9": 10, "broken_land:11": 2}
    assert (table.number_at(TANKS, "atreides"), table.number_at(RESERVES, "atreides")) == (4, 4)
    assert (table.zones["tanks.atreides"], table.zones["tanks_down.atreides"]) == (
        ("duncan_idaho",),
        ("thufir_hawat",),
    )
    assert table.are_allied("atreides", "fremen")


def test_what_is_not_placed_is_in_reserves_by_kind() -> None:
    """Elites are counted down by themselves; what lies on another side has none in reserves. [START-13, BG-22]"""
    table = stage(
        {
            "mode": "advanced",
            "seats": ["bene_gesserit", "emperor"],
            "phase": "storm",
            "emperor": {"forces": {"carthag": {"regular": 4, "sardaukar": 2}}, "tanks": {"sardaukar": 1}},
            "bene_gesserit": {"forces": {"carthag": {"advisor": 3}}},
        }
    ).game.table
    assert table.kinds_at(RESERVES, "emperor") == {"regular": 11, "sardaukar": 2}
    assert table.kinds_at(RESERVES, "bene_gesserit") == {"regular": 17}
