"""Every policy answers every question of the Nexus cards legally: in all cases of them, and in whole games."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from services.arena.local import play_game
from services.bot.policies import policies, policy
from services.bot.policies.base import chance_of
from services.cases.model import find_cases
from services.cases.run import run_case
from services.cases.world import EngineWorld
from shared.dune.offers import Offer
from shared.dune.settings import Mode, Settings
from tests.unit.bot.test_policies import CLASSIC, seen_by

CASES = Path(__file__).resolve().parents[2] / "cases/nexus_cards"
DOCUMENT = Path(__file__).resolve().parents[3] / "docs/cases.md"


class Watched(EngineWorld):
    """The engine, in which every policy is asked about every question that any seat is asked."""

    met: set[str] = set()

    def __init__(self, described: dict[str, Any]) -> None:
        super().__init__(described)
        self._judge()

    def act(self, seat: str, offer: Offer, given: dict[str, Any]) -> str:
        """Answer, and judge what is asked then."""
        code = super().act(seat, offer, given)
        self._judge()
        return code

    def _judge(self) -> None:
        for seat in self.game.table.seats:
            seen = seen_by(self.game, seat)
            for offer in self.game.offers_of(seat):
                self.met.add(offer.kind)
                for name in policies():
                    given = policy(name).decide(seen, offer, chance_of(seen, offer))
                    wrong = offer.problem(given)
                    assert wrong is None, f"{name} answers {offer.kind} with {given!r}: {wrong}"


def test_every_policy_is_legal_at_every_question_of_all_cases() -> None:
    """Those of gates and draws among them: whatever kinds the document of cases names came up."""
    Watched.met = set()
    for path in find_cases([CASES]):
        run_case(path, Watched)
    named = re.findall(r"^### `([a-z_.]*nexus[a-z_.]*)`", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    assert len(named) > 10
    assert set(named) - Watched.met == set()


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
