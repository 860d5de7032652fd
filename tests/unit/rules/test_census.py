"""The census finds whatever is doubled, lost or below zero. [GEN-14, GEN-15]"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.rules.census import check_census
from services.rules.staging import MalformedError, stage
from shared.dune.table import BANK, RESERVES, CensusError, Table, put

TABLE = stage({"seats": ["atreides", "fremen"], "phase": "storm", "fremen": {"hand": ["lasgun"]}}).game.table


def _forces(faction: str, kinds: dict[str, int]) -> Table:
    return put(TABLE, forces={**TABLE.forces, RESERVES: {**TABLE.forces[RESERVES], faction: kinds}})


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: put(TABLE, zones={**TABLE.zones, "treachery_removed": ("lasgun",)}), "two places"),
        (lambda: put(TABLE, zones={**TABLE.zones, "hand.fremen": ()}), "pieces are on the table"),
        (lambda: put(TABLE, zones={**TABLE.zones, "hand.atreides": ("joker",)}), "pieces are on the table"),
        (lambda: _forces("fremen", {"regular": 19}), "19 forces"),
        (lambda: _forces("fremen", {"regular": 21}), "21 forces"),
        (lambda: _forces("fremen", {}), "0 forces"),
        (lambda: _forces("fremen", {"regular": 21, "special": -1}), "stack"),
        (lambda: put(TABLE, spice={**TABLE.spice, "fremen": TABLE.spice["fremen"] + 1}), "1 too much"),
        (
            lambda: put(TABLE, spice={**TABLE.spice, "fremen": -1, BANK: 1 - TABLE.spice["atreides"]}),
            "fremen has -1",
        ),
        (lambda: put(TABLE, allies={"fremen": "atreides"}), "not the other way round"),
        (lambda: put(TABLE, allies={"fremen": "guild", "guild": "fremen"}), "nobody else in play"),
        (lambda: put(TABLE, allies={"fremen": "fremen"}), "nobody else in play"),
    ],
)
def test_what_cannot_be_is_found(wrong: Callable[[], Table], told: str) -> None:
    """With what is wrong, so that the fault can be found."""
    check_census(TABLE)
    with pytest.raises(CensusError, match=told):
        check_census(wrong())


ADVANCED = stage({"mode": "advanced", "seats": ["bene_gesserit", "emperor"], "phase": "storm"}).game.table


def _advanced(faction: str, kinds: dict[str, int]) -> Table:
    return put(ADVANCED, forces={**ADVANCED.forces, RESERVES: {**ADVANCED.forces[RESERVES], faction: kinds}})


def test_elite_forces_are_counted_by_kind_in_the_advanced_game() -> None:
    """Twenty forces with the wrong number of elites are as impossible as nineteen. [START-13]"""
    check_census(ADVANCED)
    with pytest.raises(CensusError, match="4 sardaukar, not 5"):
        check_census(_advanced("emperor", {"regular": 16, "sardaukar": 4}))


def test_forces_of_two_sides_have_none_off_the_board_and_one_in_a_territory() -> None:
    """Nor is there another side in the Basic game, or for others' forces. [BG-21, BG-22]"""
    with pytest.raises(CensusError, match="no side"):
        check_census(_advanced("bene_gesserit", {"advisor": 3, "regular": 17}))
    both = {"wind_pass:13": {"advisor": 1}, "wind_pass:14": 2}
    placed = {"mode": "advanced", "seats": ["bene_gesserit", "emperor"], "phase": "storm"}
    others = {"emperor": {"forces": {"wind_pass:15": 1}}}
    with pytest.raises(MalformedError, match="both sides in wind_pass"):
        stage({**placed, **others, "bene_gesserit": {"forces": both}})
    with pytest.raises(MalformedError, match="no forces of the kinds advisor"):
        stage({**placed, "emperor": {"forces": {"wind_pass:13": {"advisor": 1}}}})
    with pytest.raises(MalformedError, match="no forces of the kinds advisor"):
        stage(
            {
                **placed,
                **others,
                "mode": "basic",
                "bene_gesserit": {"forces": {"wind_pass:13": {"advisor": 1}}},
            }
        )
