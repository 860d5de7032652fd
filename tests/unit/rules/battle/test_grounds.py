"""Where two players can fight when storm parts a territory. [BATTLE-03, BATTLE-04]"""

from __future__ import annotations

import pytest

from services.rules.phases.battle_grounds import battles_of
from services.rules.staging import stage
from shared.dune.table import Table


def table_with(
    storm: int, fremen: dict[str, int], guild: dict[str, int], rulings: dict[str, str] | None = None
) -> Table:
    described = {"seats": ["fremen", "guild"], "circles": [1, 4], "phase": "shipment", "storm": storm}
    sides = {"fremen": {"forces": fremen}, "guild": {"forces": guild}}
    return stage({**described, **sides, "rulings": rulings or {}}).game.table


BOTH_ENDS = {"imperial_basin:8": 2, "imperial_basin:10": 1}


@pytest.mark.parametrize(
    ("storm", "rulings", "grounds"),
    [
        (18, {}, [("imperial_basin:8", "imperial_basin:9", "imperial_basin:10")]),
        (9, {}, [("imperial_basin:8",), ("imperial_basin:10",)]),
        (8, {}, [("imperial_basin:9", "imperial_basin:10")]),
        (
            9,
            {"split_territory_forces": "whole_territory"},
            [("imperial_basin:8", "imperial_basin:9", "imperial_basin:10")],
        ),
        (
            8,
            {"battle_in_storm": "same_sector"},
            [("imperial_basin:9", "imperial_basin:10"), ("imperial_basin:8",)],
        ),
    ],
)
def test_grounds(storm: int, rulings: dict[str, str], grounds: list[tuple[str, ...]]) -> None:
    table = table_with(storm, BOTH_ENDS, BOTH_ENDS, rulings)
    assert [clash.places for clash in battles_of(table, "fremen")] == grounds


def test_two_battles_of_one_territory_are_told_apart() -> None:
    described = {"seats": ["fremen", "guild"], "circles": [1, 4], "phase": "battle", "storm": 9}
    game = stage({**described, "fremen": {"forces": BOTH_ENDS}, "guild": {"forces": BOTH_ENDS}}).game
    (offer,) = game.open
    assert offer.choice.fields["choice"].legal() == ["imperial_basin:8/guild", "imperial_basin:10/guild"]  # type: ignore[union-attr]
