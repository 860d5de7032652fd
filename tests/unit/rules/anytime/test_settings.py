"""Settings with which no game can begin are refused, with the rule. [GEN-02, GEN-03, MAP-03]"""

from __future__ import annotations

import pytest

from services.rules.engine.game import Refusal
from services.rules.newgame import begin, problem
from shared.dune.settings import Settings

PAIR = ("atreides", "fremen")


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        (Settings(seats=("atreides",)), "GEN-02"),
        (Settings(seats=("atreides", "atreides")), "GEN-02"),
        (Settings(seats=(*PAIR, "guild", "emperor", "harkonnen", "bene_gesserit", "ixians")), "GEN-02"),
        (Settings(seats=PAIR, last_turn=0), "GEN-03"),
        (Settings(seats=PAIR, last_turn=11), "GEN-03"),
        (Settings(seats=PAIR, circles=(1, 1)), "MAP-03"),
        (Settings(seats=PAIR, circles=(1, 5)), "MAP-03"),
        (Settings(seats=PAIR, rulings={"cancel_windows": "preempt"}), "RULING-05"),
    ],
)
def test_refused(settings: Settings, rule: str) -> None:
    """The refusal names the rule, and no game begins."""
    found = problem(settings)
    assert found is not None
    assert found.rule == rule
    assert isinstance(begin(settings, 1), Refusal)


@pytest.mark.parametrize("number", [2, 3, 4, 5, 6])
def test_two_to_six_players(number: int) -> None:
    """Any number from 2 to 6 can play. [GEN-02]"""
    seats = ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen")[:number]
    assert problem(Settings(seats=seats)) is None


def test_the_same_seed_gives_the_same_game() -> None:
    """All chance comes from the seed. [START-20]"""
    one, same, other = (begin(Settings(seats=PAIR), seed) for seed in (3, 3, 4))
    assert one == same
    assert one != other
