"""Random games: every law in each. `make laws GAMES=500 SEED=1` plays more; a failure prints how to replay it."""

from __future__ import annotations

import os

import pytest

from tests.property.laws import Tally, play_and_check

FIRST = int(os.environ.get("SIETCH_LAWS_SEED", "1"))
GAMES = int(os.environ.get("SIETCH_LAWS_GAMES", "24"))
TALLY = Tally()


@pytest.mark.parametrize("seed", range(FIRST, FIRST + GAMES))
def test_laws_hold_in_a_random_game(seed: int) -> None:
    """Census, round trip, fold, open offers, acceptance, refusals, sequences, two worlds, an end."""
    try:
        play_and_check(seed, TALLY)
    except AssertionError as wrong:
        replay = f"SIETCH_LAWS_SEED={seed} SIETCH_LAWS_GAMES=1 .venv/bin/pytest tests/property/test_laws.py"
        raise AssertionError(f"{wrong}\nreplay: {replay}") from wrong
