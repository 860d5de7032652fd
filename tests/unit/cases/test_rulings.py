"""Every value of every ruling that a room may choose is proved by a case; what may not be chosen says why.

A case proves a value if it names the ruling, is played with the value, and does not hold with another one.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from services.cases.model import find_cases, read_case
from services.cases.run import run_case
from services.cases.world import EngineWorld, World
from services.rules.engine.loader import load_rules
from shared.dune.rulings import Ruling, rulings

CASES = Path(__file__).resolve().parents[2] / "cases"
Proofs = dict[tuple[str, str], list[Path]]


@pytest.fixture(scope="module")
def citing() -> Proofs:
    """The cases that name a ruling, by its name and the value with which they are played."""
    load_rules()
    by_id = {ruling.id: ruling for ruling in rulings().values()}
    found: Proofs = defaultdict(list)
    for path in find_cases([CASES]):
        case = read_case(path)
        for ruling in (by_id[rule] for rule in case.rules if rule in by_id):
            found[ruling.name, case.table.get("rulings", {}).get(ruling.name, ruling.default)].append(path)
    return found


@pytest.fixture(scope="module")
def reasons() -> set[str]:
    """The ids that can have no case yet: what they are about is not played."""
    found: set[str] = set()
    for path in CASES.rglob("reasons.toml"):
        found |= set(tomllib.loads(path.read_text("utf-8"))["reasons"])
    return found


def holds_with(path: Path, ruling: Ruling, value: str) -> bool:
    """Whether a case holds although another value was chosen."""

    def other(table: dict[str, Any]) -> World:
        return EngineWorld({**table, "rulings": {**table.get("rulings", {}), ruling.name: value}})

    return not run_case(path, other).failed


@pytest.mark.parametrize("ruling", rulings().values(), ids=lambda ruling: ruling.name)
def test_each_value_that_may_be_chosen_has_a_case(ruling: Ruling, citing: Proofs, reasons: set[str]) -> None:
    for value in ruling.offered:
        proofs = citing[ruling.name, value]
        assert proofs or ruling.id in reasons, f"no case names {ruling.id} with {value}"
        for other in set(ruling.offered) - {value}:
            same = [path for path in proofs if holds_with(path, ruling, other)]
            assert same != proofs, f"what is played with {value} would hold with {other} as well: {same}"


@pytest.mark.parametrize("ruling", rulings().values(), ids=lambda ruling: ruling.name)
def test_what_may_not_be_chosen_says_why(ruling: Ruling) -> None:
    assert set(ruling.offered) <= set(ruling.values)
    assert bool(ruling.fixed) is (ruling.offered != ruling.values)
