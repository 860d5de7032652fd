"""What `sietch room progress` tells of a pending gate. [NEXUS-66, NEXUS-86, NEXUS-HARK-52, EX-HARK-19]"""

from __future__ import annotations

from typing import Any

import msgspec

from services.cases.answers import completed
from services.cli.progress import Pending, pending_in, sentence
from services.rules.engine.game import Decision, Game, answer
from services.rules.staging import stage

GATE = "window.nexus.harkonnen_traitor"
TABLE: dict[str, Any] = {
    "modules": ["nexus"],
    "seats": ["atreides", "emperor", "guild", "harkonnen"],
    "circles": [1, 4, 7, 10],
    "phase": "battle",
    "atreides": {"nexus": "harkonnen"},
    "emperor": {"nexus": "ixians"},
    "guild": {"forces": {"red_chasm": 4}},
    "harkonnen": {"forces": {"red_chasm": 4}, "traitors": ["guild_rep", "bashar", "caid", "burseg"]},
}
SAID: dict[str, Any] = {
    "harkonnen.battle_plan": {"leader": "umman_kudu", "dial": 1},
    "guild.battle_plan": {"leader": "guild_rep", "dial": 3},
    "harkonnen.traitor_call": {"do": "call"},
}
ABOUT: dict[str, str | int | bool] = {"side": "harkonnen", "leader": "guild_rep", "territory": "red_chasm"}


def _told(game: Game) -> list[Pending]:
    return pending_in(msgspec.json.encode(game.checkpoint(), order="sorted"))


def _after(game: Game, seat: str, given: Any) -> Game:
    offer = next(one for one in game.open if one.seat == seat)
    outcome = answer(game, seat, offer.id, completed(offer.choice, given))
    assert isinstance(outcome, Decision), outcome
    return outcome.game


def _at_the_gate() -> Game:
    game = stage(TABLE).game
    while not any(offer.kind == GATE for offer in game.open):
        offer = next(one for one in game.open if one.committed is None)
        game = _after(game, offer.seat, SAID.get(f"{offer.seat}.{offer.kind}", offer.default))
    return game


def test_of_several_nobody_is_named_and_of_one_it_is() -> None:
    """The public state of the gate, and the only unfinished acknowledgement. [NEXUS-66]"""
    game = _at_the_gate()
    assert _told(game) == [Pending(GATE, ("atreides", "emperor"), 2, ABOUT)]
    for first, left in (("emperor", "atreides"), ("atreides", "emperor")):
        now = _after(game, first, {"do": "pass"})
        assert _told(now) == [Pending(GATE, ("atreides", "emperor"), 1, ABOUT, left)]
    assert sentence(_told(now)[0]) == (
        f"{GATE}: asked atreides, emperor; waiting for emperor; leader=guild_rep side=harkonnen territory=red_chasm"
    )
    assert "2 of 2 to come" in sentence(_told(game)[0])


def test_an_answer_that_may_be_changed_is_an_answer() -> None:
    """Plans that are sealed wait open, each with its answer. [WINPOL-09]"""
    game = stage(TABLE).game
    while not any(offer.kind == "battle_plan" for offer in game.open):
        offer = next(one for one in game.open if one.committed is None)
        game = _after(game, offer.seat, offer.default)
    assert [(one.kind, one.unfinished, one.only, one.about) for one in _told(game)] == [
        ("battle_plan", 2, "", {})
    ]
    planned = _after(game, "guild", SAID["guild.battle_plan"])
    assert [(one.unfinished, one.only) for one in _told(planned)] == [(1, "harkonnen")]
