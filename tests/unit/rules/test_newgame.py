"""Beginning a game: what settings are refused and why, and what chance completes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from services.rules.engine.chance import Chance
from services.rules.engine.game import Decision, Refusal
from services.rules.newgame import begin, complete
from shared.dune import facts
from shared.dune.settings import Settings

GOOD = Settings(seats=("atreides", "fremen", "guild"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"ruleset": "base-0"}, "base-1"),
        ({"mode": "odd"}, "odd"),
        ({"modules": ("leader_skills",)}, "leader_skills"),
        ({"decks": ("base", "ixians")}, "base with ecaz_moritani"),
        ({"rulings": {"harass_in_explosion": "void"}}, "ecaz_moritani"),
        ({"rulings": {"nexus.precommit": "off"}}, "nexus, which is not chosen"),
        (
            {"modules": ("nexus",), "rulings": {"nexus.bg.cunning_fresh": "allow_in_place"}},
            "the advanced game",
        ),
        ({"modules": ("nexus",), "rulings": {"unused_traitors": "out_of_play"}}, "the rules of nexus"),
        ({"modules": ("nexus", "nexus")}, "twice"),
        ({"seats": ("atreides",)}, "2 to 6"),
        ({"seats": ("atreides", "atreides")}, "different"),
        ({"seats": (*facts.factions(),)}, "2 to 6"),
        ({"seats": ("atreides", "ixians")}, "ixians"),
        ({"last_turn": 0}, "1 to 10"),
        ({"last_turn": 11}, "1 to 10"),
        ({"circles": (1, 4)}, "circle"),
        ({"circles": (1, 4, 4)}, "circle"),
        ({"circles": (4, 1, 7)}, "circle"),
        ({"circles": (1, 2, 7)}, "circle"),
        ({"rulings": {"no_such_ruling": "on"}}, "no_such_ruling"),
        ({"rulings": {"karama_scope": "for_ever"}}, "one_use"),
    ],
)
def test_settings_that_cannot_be_played_are_refused(change: dict[str, Any], told: str) -> None:
    """The reason names what is wrong, and what could be instead. [GEN-02, GEN-03, MAP-03]"""
    refused = begin(msgspec.structs.replace(GOOD, **change), seed=1)
    assert isinstance(refused, Refusal)
    assert refused.code == "settings"
    assert told in refused.text


def test_circles_are_drawn_where_none_are_named() -> None:
    """In board order, each possible, and what the room named stays. [START-02, MAP-03]"""
    drawn = {complete(GOOD, Chance.of(seed)).circles for seed in range(200)}
    assert all(list(circles) == sorted(set(circles)) for circles in drawn)
    assert {circle for circles in drawn for circle in circles} == set(facts.player_circles())
    named = msgspec.structs.replace(GOOD, circles=tuple(sorted(facts.player_circles())[:3]))
    assert complete(named, Chance.of(1)) == named


def test_the_same_settings_and_seed_give_the_same_game() -> None:
    """And another seed another."""
    one, again, other = (begin(GOOD, seed) for seed in (5, 5, 6))
    assert isinstance(one, Decision)
    assert isinstance(other, Decision)
    assert one == again
    assert one.game.table.zones != other.game.table.zones
