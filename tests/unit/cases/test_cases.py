"""Every conformance case against the engine in process: one test a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.cases.model import find_cases
from services.cases.run import run_case

FOLDER = Path(__file__).resolve().parents[2] / "cases"


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=str(path.relative_to(FOLDER))) for path in find_cases([FOLDER])]
)
def test_case_holds(path: Path) -> None:
    """The rules that it cites stand in its first line."""
    assert run_case(path).failed == []
