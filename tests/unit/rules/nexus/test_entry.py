"""The cards in every classic game, and in no other unless they are chosen. [NEXUS-76, NEXUS-80, NEXUS-81, NEXUS-83]"""

from __future__ import annotations

from itertools import product

import pytest

from services.rules.engine.game import Decision, Refusal
from services.rules.newgame import begin
from shared.dune.facts.nexus import nexus_cards
from shared.dune.settings import Mode, Settings
from shared.dune.table import zone

CLASSIC = ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen")
DECKS = {33: ("base",), 36: ("base", "ecaz_moritani")}
MODES: tuple[Mode, ...] = ("basic", "advanced")


@pytest.mark.parametrize(("number", "mode"), list(product(range(2, 7), MODES)))
@pytest.mark.parametrize("size", DECKS)
def test_every_classic_game_can_have_them(number: int, mode: Mode, size: int) -> None:
    """2 to 6 seats, Basic and Advanced, either deck: twelve lie shuffled, nobody holds or is asked about one."""
    began = begin(Settings(mode, ("nexus",), DECKS[size], seats=CLASSIC[-number:]), 7)
    assert isinstance(began, Decision), began
    table = began.game.table
    assert sorted(zone(table, "nexus_deck")) == sorted(nexus_cards())
    assert zone(table, "nexus_deck") != tuple(nexus_cards())
    assert len(zone(table, "treachery_deck")) == size
    assert not any("nexus" in offer.kind for offer in began.game.open)
    assert table.settings.modules == ("nexus",) and table.settings.decks == DECKS[size]


@pytest.mark.parametrize("mode", MODES)
def test_who_does_not_choose_them_has_none(mode: Mode) -> None:
    """Nor does anything come with them. [NEXUS-81]"""
    began = begin(Settings(mode, seats=CLASSIC), 7)
    assert isinstance(began, Decision)
    assert not [name for name in began.game.table.zones if name.startswith("nexus")]


@pytest.mark.parametrize(
    "modules", [("nexus", "homeworlds"), ("nexus", "leader_skills"), ("nexus", "tech_tokens")]
)
def test_what_is_not_built_is_refused_and_not_left_out(modules: tuple[str, ...]) -> None:
    """A game with a module that is not there does not begin without it. [NEXUS-72, NEXUS-76]"""
    assert isinstance(begin(Settings("basic", modules, seats=CLASSIC), 7), Refusal)
