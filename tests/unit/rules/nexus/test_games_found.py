"""Games found by seed still come to their effect: a change that leads them elsewhere is noticed here, in seconds."""

from __future__ import annotations

import pytest

from tests.nexus.games import Row, rows
from tests.nexus.search import holds

SHORT = 170
"""Answers; `make nexus-tables` plays the longer games, too."""


@pytest.mark.parametrize("row", [row for row in rows().values() if row.at <= SHORT], ids=lambda row: row.name)
def test_a_short_game_comes_to_its_moment(row: Row) -> None:
    """Else search again: `python -m tests.nexus.search --more`."""
    assert holds(row)
