"""Where the first Bene Gesserit force may stand: a case can lay out no table for it, since setup lays out its own."""

from __future__ import annotations

import pytest

from services.rules.engine.game import Decision, answer, begin_with
from services.rules.engine.loader import load_rules
from services.rules.factions.bene_gesserit.placement import PlaceOne
from services.rules.staging import stage

load_rules()


@pytest.mark.parametrize(
    ("held", "side"),
    [({"atreides": 3, "guild": 2}, "advisor"), ({"atreides": 3}, "advisor"), ({}, "regular")],
    ids=["two others", "one other", "nobody"],
)
def test_the_first_force_is_an_advisor_wherever_others_stand(held: dict[str, int], side: str) -> None:
    """In a stronghold of two others too, where a fighter would have no room. [START-17, START-18]"""
    seats = ["atreides", "bene_gesserit", "guild"]
    forces = {seat: {"forces": {"arrakeen": number}} for seat, number in held.items()}
    staged = stage({"mode": "advanced", "seats": seats, "phase": "storm", "storm": 3, **forces})
    assert isinstance(staged, Decision)
    begun = begin_with(PlaceOne(), staged.game.table, seed=1)
    (asked,) = begun.game.open
    placed = answer(begun.game, asked.seat, asked.id, {"choice": "arrakeen:9"})
    assert isinstance(placed, Decision)
    assert placed.game.table.kinds_at("arrakeen:9", "bene_gesserit") == {side: 1}
