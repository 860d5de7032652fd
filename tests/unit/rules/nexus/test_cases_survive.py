"""Every case of the Nexus cards, played again with a restart after each answer, each answer sent twice, and bots asked.

[NEXUS-45, NEXUS-50, NEXUS-64, NEXUS-BG-17, NEXUS-BG-41, NEXUS-BG-50, NEXUS-BG-51, EX-ATR-16, EX-NX-12, EX-NX-13]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.bot.policies import policies, policy
from services.bot.policies.base import chance_of
from services.cases.model import find_cases, read_case
from services.cases.run import run_case
from services.cases.world import EngineWorld
from services.rules.engine.game import Decision, Game, Refusal, answer, find_offer, load
from shared.dune.offers import Checkpoint, Offer
from shared.dune.table import Table
from shared.dune.views import SeatView, encode_view, view

CASES = Path(__file__).resolve().parents[4] / "tests" / "cases" / "nexus_cards"


def encoded(game: Game) -> bytes:
    """All of a game that is stored."""
    return msgspec.json.encode((game.table, game.checkpoint()), order="sorted")


def taken_up(game: Game) -> Game:
    """The game as another process takes it up from the store: the same questions, offers and answers so far."""
    table, saved = msgspec.json.decode(encoded(game), type=tuple[Table, Checkpoint])
    copy = load(table, saved)
    assert copy == game, "what is stored is all that there is"
    assert copy.open == game.open and copy.standing == game.standing
    return copy


class RestartedWorld(EngineWorld):
    """After every answer it is sent once more, every bot is asked, and the game is taken up by another process."""

    def __init__(self, described: dict[str, Any]) -> None:
        super().__init__(described)
        self.asked_bots = 0
        self._meanwhile()

    def act(self, seat: str, offer: Offer, given: dict[str, Any]) -> str:
        """As always; then a repeated command, which changes nothing whatever becomes of it."""
        code = super().act(seat, offer, given)
        if not code:
            self._again(seat, offer, given)
            self._meanwhile()
        return code

    def expire(self, seat: str, offer: Offer) -> str:
        """As always."""
        code = super().expire(seat, offer)
        self._meanwhile()
        return code

    def _again(self, seat: str, offer: Offer, given: dict[str, Any]) -> None:
        """Refused where it is over or final; the same where it may be changed. What always stands may be done twice."""
        if offer.id in {short.id for short in self.game.standing}:
            return
        before, still = encoded(self.game), find_offer(self.game, seat, offer.id)
        again = answer(self.game, seat, offer.id, given)
        if still is None or still.final:
            assert isinstance(again, Refusal), f"{offer.kind} of {seat} is answered twice"
        elif isinstance(again, Decision):
            assert again.game.table == self.game.table, f"{offer.kind} of {seat}, sent again, does more"
        assert encoded(self.game) == before

    def _meanwhile(self) -> None:
        self.game = taken_up(self.game)
        cards = (find_offer(self.game, o.seat, o.id) for o in self.game.standing if o.kind == "nexus_card")
        for offer in (*self.game.open, *filter(None, cards)):
            if offer.committed is None and ("nexus" in offer.kind or offer.kind == "traitor_return"):
                self._ask_bots(offer)

    def _ask_bots(self, offer: Offer) -> None:
        """Every policy has a legal answer, from its seat's view alone."""
        raw = encode_view(view(self.game.table, self.game.checkpoint(), offer.seat))
        seen = msgspec.json.decode(raw, type=SeatView)
        for name in policies():
            given = policy(name).decide(seen, offer, chance_of(seen, offer))
            assert offer.problem(given) is None, f"{name} answers {offer.kind} with {given!r}"
            self.asked_bots += 1


FOUND = find_cases([CASES])


@pytest.mark.parametrize("path", FOUND, ids=[str(path.relative_to(CASES)) for path in FOUND])
def test_a_restart_after_every_answer_changes_nothing(path: Path) -> None:
    assert run_case(path, RestartedWorld).failed == []


def test_bots_are_asked_the_questions_of_the_cards() -> None:
    """The walk above meets the queue before a Voice at both of its places, and answers it. [NEXUS-BG-41]"""
    world = RestartedWorld(read_case(CASES / "bene_gesserit" / "passed_and_not_again.toml").table)
    for seat in ("atreides", "harkonnen"):
        asked = world.find(seat, "window.nexus.borrowed_voice")
        assert asked is not None
        before = world.asked_bots
        assert world.act(seat, asked, {"do": "pass"}) == ""
        assert before > 0
    assert world.asked_bots >= 2 * len(policies())
