"""Random games: every law in each. A failure prints how to replay it; more are played by

`make laws MODE=advanced GAMES=500 SEED=1`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable

import pytest

from tests.property.laws import DEAR_EVERY, WORLDS_EVERY, Tally, play_and_check
from tests.property.players import MODE, MODULES

FIRST = int(os.environ.get("SIETCH_LAWS_SEED", "1"))
GAMES = int(os.environ.get("SIETCH_LAWS_GAMES", "6"))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + GAMES))
def test_laws_hold_in_a_random_game(seed: int, record_property: Callable[[str, object], None]) -> None:
    """Census, round trip, fold, open offers, acceptance, refusals, sequences, two worlds, an end."""
    tally = Tally()
    try:
        play_and_check(seed, tally)
    except AssertionError as wrong:
        modules = ",".join(MODULES)
        again = f"make laws MODE={MODE} MODULES={modules} GAMES=1 SEED={seed} EVERY={DEAR_EVERY} WORLDS={WORLDS_EVERY}"
        raise AssertionError(f"{wrong}\nreplay: {again}") from wrong
    finally:
        record_property("laws", json.dumps(tally.as_json()))
