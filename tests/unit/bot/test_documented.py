"""What `docs/bots.md` says of policies is so: the one that it shows plays, and the names of all are offered."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

from services.arena.local import step
from services.bot.policies import Policy, policies
from services.bot.policies.base import sampled
from services.room.bodies import POLICIES
from services.rules.engine.game import Decision
from services.rules.newgame import begin
from shared.dune.offers import Offer
from shared.dune.settings import Settings
from shared.dune.shapes import Json
from shared.dune.views import SeatView

PAGE = Path(__file__).parents[3] / "docs" / "bots.md"
SEATS = ("atreides", "emperor", "guild")


def _shown() -> Policy:
    """The policy of the page, with the names that its file would import."""
    found = re.search(r"```python\n(class .*?)```", PAGE.read_text("utf-8"), re.S)
    assert found is not None
    names: dict[str, Any] = {thing.__name__: thing for thing in (SeatView, Offer, sampled)}
    names |= {"random": random, "Json": Json}
    exec(found[1], names)
    made: Policy = names["CautiousPolicy"]()
    return made


def test_the_policy_that_is_shown_plays_a_game_to_its_end() -> None:
    shown = _shown()
    begun = begin(Settings(mode="advanced", seats=SEATS, last_turn=2), 5)
    assert isinstance(begun, Decision)
    game = begun.game
    while game.table.result is None:
        game = step(game, dict.fromkeys(SEATS, shown)).game
    assert game.table.turn <= 2


def test_rooms_offer_the_policies_that_there_are() -> None:
    assert sorted(POLICIES) == sorted(policies())
    rows = re.findall(r"^\| `(\w+)` \|", PAGE.read_text("utf-8"), re.M)
    assert sorted(rows) == sorted(POLICIES)
