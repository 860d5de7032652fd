"""The vocabulary of `[expect]`: each path reads what it says, each test holds and fails."""

from __future__ import annotations

from typing import Any

import pytest

from services.cases.expect import READERS, failures
from services.cases.world import EngineWorld

TABLE: dict[str, Any] = {
    "seats": ["atreides", "harkonnen", "guild"],
    "circles": [4, 10, 16],
    "turn": 3,
    "phase": "storm",
    "storm": 9,
    "spice": {"red_chasm": 8},
    "discard": {"treachery": ["shield"]},
    "marks": {"turn.flag": 2},
    "atreides": {
        "spice": 7,
        "bribes": 2,
        "hand": ["lasgun", "snooper"],
        "forces": {"arrakeen": 3, "old_gap:10": 2},
        "tanks": {"regular": 4, "leaders": ["dr_yueh"]},
        "traitors": ["feyd_rautha"],
        "ally": "guild",
    },
    "guild": {"ally": "atreides"},
}
"""In the middle of a turn, as the storm is dialled."""

HOLDS: dict[str, Any] = {
    "forces.arrakeen": {"atreides": 3},
    "forces.old_gap": {"atreides": 2},
    "forces.old_gap:10.atreides": 2,
    "forces.arrakeen.guild": 0,
    "kinds.arrakeen.atreides": {"regular": 3},
    "reserves.atreides": 11,
    "tanks.atreides": 4,
    "tanks.atreides.regular": 4,
    "tanks.atreides.leaders": ["dr_yueh"],
    "zone.treachery_discard": ["shield"],
    "hand.atreides": ["snooper", "lasgun"],
    "leaders.atreides": {"count": 4, "lacks": ["dr_yueh"]},
    "traitors.atreides": {"contains": ["feyd_rautha"]},
    "spice.atreides": 7,
    "spice.red_chasm": 8,
    "bribes.atreides": 2,
    "mark.turn.flag": 2,
    "mark.turn.none": "absent",
    "memory.guild": [],
    "ally.atreides": "guild",
    "ally.harkonnen": "none",
    "storm": 9,
    "turn": 3,
    "phase": "storm",
    "order": {"count": 3},
    "setting.mode": "basic",
    "result": "none",
    "events": {"has": ["PhaseBegan"], "has_not": ["TurnBegan"], "sequence": ["PhaseBegan"]},
    "offers.guild": ["storm_dial"],
    "standing.atreides": {"contains": ["deal"]},
    "waiting": ["atreides", "guild"],
    "about.guild.storm_dial": {"contains": []},
    "why.guild.storm_dial": {"contains": ["storm"]},
    "default.guild.storm_dial": {"contains": ["dial"]},
    "legal.guild.storm_dial": ["dial"],
    "legal.guild.storm_dial.dial": {"low": 1, "high": 3},
    "off.guild.storm_dial.dial": {},
    "view.guild": {"never_contains": ["lasgun", "snooper"], "contains": ["red_chasm"]},
    "view.atreides": {"contains": ["lasgun"]},
    "view.spectator": {"never_contains": ["lasgun"]},
}


@pytest.fixture(scope="module")
def world() -> EngineWorld:
    return EngineWorld(TABLE)


def test_each_path_reads_what_it_says(world: EngineWorld) -> None:
    assert failures(world, HOLDS) == []


def test_no_path_is_left_untried() -> None:
    assert {path.partition(".")[0] for path in HOLDS} == READERS.keys()


@pytest.mark.parametrize("path", HOLDS)
def test_each_path_can_fail(world: EngineWorld, path: str) -> None:
    found = failures(world, {path: "something else"})
    assert len(found) == 1
    assert found[0].startswith(f"{path}: is ")


TESTS = [
    ("order", {"order": ["guild", "harkonnen", "atreides"]}, False),
    ("hand.atreides", {"contains": ["shield"]}, False),
    ("hand.atreides", {"lacks": ["lasgun"]}, False),
    ("hand.atreides", {"never_contains": ["lasgun"]}, False),
    ("hand.atreides", {"count": 3}, False),
    ("hand.atreides", {"count": 2, "contains": ["shield"]}, False),
    ("order", {"first": ["nobody"]}, False),
    ("order", {"first": []}, True),
    ("turn", {"least": 3, "most": 3}, True),
    ("turn", {"least": 4}, False),
    ("turn", {"most": 2}, False),
    ("events", {"has": ["TurnBegan"]}, False),
    ("events", {"has_not": ["PhaseBegan"]}, False),
    ("events", {"match": [{"event": "PhaseBegan", "phase": "storm"}]}, True),
    ("events", {"match": [{"event": "PhaseBegan", "phase": "battle"}]}, False),
    ("events", {"no_match": [{"event": "PhaseBegan", "phase": "battle"}]}, True),
    ("events", {"no_match": [{"event": "PhaseBegan"}]}, False),
    ("events", {"sequence": ["PhaseBegan", "PhaseBegan"]}, False),
]


@pytest.mark.parametrize(("path", "wanted", "holds"), TESTS)
def test_each_test_holds_or_fails(world: EngineWorld, path: str, wanted: Any, holds: bool) -> None:
    assert (failures(world, {path: wanted}) == []) is holds


def test_the_order_is_exact(world: EngineWorld) -> None:
    order = list(world.table().order)
    assert failures(world, {"order": {"order": order, "first": order[:1]}}) == []
    assert failures(world, {"order": {"order": order[::-1]}})


@pytest.mark.parametrize(
    "path",
    ["forces.nowhere_at_all.x.y", "hand", "legal.harkonnen.storm_dial", "about.guild.bid", "nothing.x"],
)
def test_a_path_that_cannot_be_read_is_told(world: EngineWorld, path: str) -> None:
    (found,) = failures(world, {path: ["x"]})
    assert found.startswith(f"{path}: ")
