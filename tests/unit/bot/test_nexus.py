"""Every policy plays whole games with the Nexus cards; all questions of their cases are held by `tests/unit/rules`."""

from __future__ import annotations

import pytest

from services.arena.local import play_game
from services.bot.policies import policies
from shared.dune.settings import Mode, Settings
from tests.unit.bot.test_policies import CLASSIC


@pytest.mark.parametrize("name", policies())
@pytest.mark.parametrize(
    ("mode", "decks"),
    [("basic", ("base", "ecaz_moritani")), ("advanced", ("base",))],
    ids=["basic", "advanced"],
)
def test_a_whole_game_with_the_cards_is_legal(name: str, mode: Mode, decks: tuple[str, ...]) -> None:
    """`play_game` raises where an answer is refused."""
    report = play_game(Settings(mode, ("nexus",), decks, seats=CLASSIC, last_turn=8), 5, name)
    assert report.result
