"""Random games: every law in each. A failure prints how to replay it; more are played by

`make laws MODE=advanced GAMES=500 SEED=1`, and those of one quest alone (a kind of window, or what is used in it, or an
effect of a Nexus card) by `make laws MODE=advanced QUEST=fremen_no_rides MODULES=nexus`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable

import pytest

from tests.property.laws import DEAR_EVERY, WORLDS_EVERY, Tally, play_and_check
from tests.property.players import MODE, MODULES, quest_of

FIRST = int(os.environ.get("SIETCH_LAWS_SEED", "1"))
GAMES = int(os.environ.get("SIETCH_LAWS_GAMES", "6"))
QUEST = os.environ.get("SIETCH_LAWS_QUEST", "")


def _seeds() -> list[int]:
    """The next seeds, or the next whose game has the quest that is asked for."""
    if not QUEST:
        return list(range(FIRST, FIRST + GAMES))
    near = range(FIRST, FIRST + 1000 * GAMES)
    fitting = [seed for seed in near if QUEST in (quest_of(seed).kind, quest_of(seed).what)]
    assert fitting, f"no game of this mode and these modules has the quest {QUEST}"
    return fitting[:GAMES]


@pytest.mark.parametrize("seed", _seeds())
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
