"""Copies of a card look alike to everybody but who holds them, and a guessed world has each copy once."""

from __future__ import annotations

import random

import pytest

from services.rules.census import check_census
from services.rules.staging import stage
from shared.dune import facts
from shared.dune.views import view
from shared.dune.worlds import sample_world

SEEN = [
    ("shield#2", "shield"),
    ("shai_hulud#6", "shai_hulud"),
    ("auction_card=karama#1", "auction_card=karama"),
    ("lasgun", "lasgun"),
    ("we are #1", "we are #1"),
    ("stranger#1", "stranger#1"),
    ("traitor:chani", "traitor:chani"),
]


@pytest.mark.parametrize(("piece", "seen"), SEEN)
def test_only_the_number_of_a_copy_is_left_out(piece: str, seen: str) -> None:
    assert facts.unnumbered(piece) == seen


@pytest.mark.parametrize("seed", range(5))
def test_a_guessed_world_has_every_copy_once(seed: int) -> None:
    """Two Shields lie open, one is held, and the guess must find a place for the last."""
    staged = stage(
        {
            "seats": ["fremen", "guild"],
            "phase": "storm",
            "discard": {"treachery": ["shield#4", "shield#1", "karama", "karama"]},
            "fremen": {"hand": ["shield#2"]},
        }
    ).game
    seen = view(staged.table, staged.checkpoint(), "fremen")
    assert seen.zones["treachery_discard"].count("shield") == 2
    world = sample_world(seen, random.Random(seed))
    check_census(world)
    assert world.hand("fremen") == ("shield#2",)
    assert [facts.face(p) for p in world.zones["treachery_discard"]] == list(seen.zones["treachery_discard"])
