"""Profiles: which lobbies fit, and why others do not. [NEXUS-76..NEXUS-81]"""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from services.cli.profile import app
from services.room.profiles import PROFILES, misfit, settings_for
from services.room.starts import Chair
from shared.dune.offered import decks, modules
from shared.dune.rulesets import rulesets

LOBBY = {"mode": "basic", "modules": [], "decks": ["base"], "rulings": {}, "seats": 3, "last_turn": 10}
SEATS = [
    Chair(1, "person", "Ann", "guild", True, None),
    Chair(2, "bot", "Bot 2", "harkonnen", True, "easy"),
    Chair(3, "open", "", None, False, None),
]


def test_what_profiles_name_exists() -> None:
    ruleset = rulesets()["base-1"]
    assert {
        "nexus-core",
        "guild-betrayal",
        "harkonnen-betrayal",
        "bene-gesserit-voice",
        "atreides-inspection",
    } <= (PROFILES.keys())
    for profile in PROFILES.values():
        assert set(profile.modules) <= set(ruleset.modules) <= modules().keys()
        assert set(profile.decks) <= set(ruleset.decks)
        assert {deck for combination in profile.decks for deck in combination} <= decks().keys()
        assert set(profile.needs) <= set(ruleset.factions)


@pytest.mark.parametrize(
    ("name", "state", "settings", "seats", "why"),
    [
        ("nexus-core", "running", {}, SEATS, "has begun"),
        ("nexus-core", "lobby", {}, SEATS[:1], "1 seats are taken"),
        ("nexus-core", "lobby", {"modules": ["homeworlds"]}, SEATS, "has chosen homeworlds"),
        ("guild-betrayal", "lobby", {"decks": ["base", "ecaz_moritani"]}, SEATS, "has chosen the decks"),
        ("atreides-inspection", "lobby", {}, SEATS, "nobody has asked for atreides"),
        (
            "nexus-core",
            "lobby",
            {},
            [*SEATS[:2], Chair(3, "person", "Bo", None, False, None)],
            "not ready yet: Bo",
        ),
    ],
)
def test_a_lobby_that_does_not_fit_is_told_why(
    name: str, state: str, settings: dict[str, object], seats: list[Chair], why: str
) -> None:
    assert why in misfit(PROFILES[name], state, {**LOBBY, **settings}, seats)


@pytest.mark.parametrize("name", ["nexus-core", "guild-betrayal", "harkonnen-betrayal"])
def test_a_lobby_that_fits_gets_the_modules_and_keeps_all_else(name: str) -> None:
    assert misfit(PROFILES[name], "lobby", LOBBY, SEATS) == ""
    assert settings_for(PROFILES[name], LOBBY) == {**LOBBY, "modules": ["nexus"]}


def test_the_deck_of_36_is_for_the_core_alone() -> None:
    chosen = {**LOBBY, "decks": ["base", "ecaz_moritani"]}
    fitting = [name for name, profile in PROFILES.items() if not misfit(profile, "lobby", chosen, SEATS)]
    assert fitting == ["nexus-core"]


def test_the_list_names_every_profile() -> None:
    shown = CliRunner().invoke(app, ["list"]).stdout
    assert [line for line in shown.splitlines() if not line.startswith(" ")] == list(PROFILES)
