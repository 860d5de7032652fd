"""Every case of the Nexus cards again, with a restart after each answer, each answer sent twice, and each question put
to every bot. Nothing of it may change what the case expects.

[NEXUS-42..NEXUS-50, NEXUS-64, NEXUS-71]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.bot.policies import policies, policy
from services.bot.policies.base import chance_of
from services.cases.model import find_cases
from services.cases.run import run_case
from services.cases.world import EngineWorld
from services.rules.engine.game import Refusal, answer, find_offer, load
from shared.dune.offers import Checkpoint, Offer
from shared.dune.table import Table
from shared.dune.views import SeatView, encode_view, view

FOLDER = Path(__file__).resolve().parents[1] / "cases" / "nexus_cards"
CASES = [pytest.param(path, id=str(path.relative_to(FOLDER))) for path in find_cases([FOLDER])]
OURS = ("nexus", "window.nexus", "traitor_return")
"""How the kinds of the questions begin that are put because of Nexus cards."""


class RestartedWorld(EngineWorld):
    """The engine, stopped and taken up from what is stored after every answer, which then comes a second time.

    Each time every question that Nexus cards put is shown to every bot.
    """

    asked_bots = 0

    def __init__(self, described: dict[str, Any]) -> None:
        super().__init__(described)
        self._restart()

    def act(self, seat: str, offer: Offer, given: dict[str, Any]) -> str:
        """Answer, restart, and send the same again where it is no longer asked: refused, and nothing changed."""
        if code := super().act(seat, offer, given):
            return code
        self._restart()
        still = find_offer(self.game, seat, offer.id)
        if still is None or still.final:
            before = self._stored()
            again = answer(self.game, seat, offer.id, given)
            assert isinstance(again, Refusal), f"{offer.kind} is answered twice"
            assert self._stored() == before
        return ""

    def _cards(self) -> list[Offer]:
        found = (find_offer(self.game, o.seat, o.id) for o in self.game.standing if o.kind == "nexus_card")
        return [one for one in found if one is not None]

    def _ask_bots(self, offer: Offer) -> None:
        shown = encode_view(view(self.game.table, self.game.checkpoint(), offer.seat))
        seen = msgspec.json.decode(shown, type=SeatView)
        for name in policies():
            said = policy(name).decide(seen, offer, chance_of(seen, offer))
            assert offer.problem(said) is None, f"{name} answers {offer.kind} with {said}"
            RestartedWorld.asked_bots += 1

    def _stored(self) -> bytes:
        return msgspec.json.encode((self.game.table, self.game.checkpoint()), order="sorted")

    def _restart(self) -> None:
        table, saved = msgspec.json.decode(self._stored(), type=tuple[Table, Checkpoint])
        self.game = load(table, saved)
        for one in (*self.game.open, *self._cards()):
            if one.kind.startswith(OURS) and one.committed is None:
                self._ask_bots(one)


@pytest.mark.parametrize("path", CASES)
def test_a_case_holds_across_restarts_and_repeats_and_bots_can_answer_it(path: Path) -> None:
    """The same receipts, the same sums, the same private rights. [NEXUS-45, NEXUS-50, NEXUS-64, NEXUS-71]"""
    before = RestartedWorld.asked_bots
    assert run_case(path, RestartedWorld).failed == []
    if "offer.window.nexus" in path.read_text("utf-8"):
        assert RestartedWorld.asked_bots > before, "the bots were asked"
