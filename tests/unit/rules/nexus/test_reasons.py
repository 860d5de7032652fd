"""Why a Nexus card can or cannot be played: read by its holder alone, never answered. [NEXUS-58, NEXUS-68]"""

from __future__ import annotations

import pytest

from services.rules.engine.game import answer, describe_offer
from services.rules.staging import stage
from shared.dune.facts.nexus import nexus_cards
from shared.dune.shapes import Variant
from tests.anytime import anytime_offer


def _game(card: str, mode: str = "basic", phase: str = "revival"):  # type: ignore[no-untyped-def]
    case = {
        "mode": mode,
        "modules": ["nexus"],
        "seats": ["atreides", "harkonnen", "guild"],
        "turn": 2,
        "phase": phase,
        "seed": 1,
        "harkonnen": {"nexus": card},
    }
    return stage(case).game  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", ["basic", "advanced"])
@pytest.mark.parametrize("card", sorted(one.faction for one in nexus_cards().values()))
def test_the_holder_of_any_card_reads_a_reason_for_whatever_it_cannot_do(card: str, mode: str) -> None:
    found = describe_offer(_game(card, mode), "harkonnen", "harkonnen.nexus_card.why")
    assert found is not None
    choice = found.choice
    assert isinstance(choice, Variant)
    assert choice.labels.keys() == choice.variants.keys() | choice.off.keys() != set()
    assert all(off.off and off.rule for off in choice.off.values())


ADVANCED_ONLY = {("bene_gesserit", "cunning"), ("emperor", "cunning")}
CLASSIC = ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen")


def _panels() -> list[tuple[str, str]]:
    absent = [(one.faction, "secret_ally") for one in nexus_cards().values()]
    return [(faction, panel) for faction in CLASSIC for panel in ("cunning", "betrayal")] + absent


@pytest.mark.parametrize("mode", ["basic", "advanced"])
@pytest.mark.parametrize(("card", "panel"), _panels())
def test_no_panel_that_can_be_played_is_said_not_to_be_there(card: str, panel: str, mode: str) -> None:
    """Whether it is played by itself, as an answer, with a shipment or at the end of a turn. [NEXUS-68, NEXUS-72]"""
    others = [faction for faction in CLASSIC if faction != card]
    seats = others[:3] if panel == "secret_ally" else [card, *others[:2]]
    holder = card if panel == "cunning" else others[0]
    case = {"mode": mode, "modules": ["nexus"], "seats": seats, "phase": "mentat", holder: {"nexus": card}}
    found = describe_offer(stage(case).game, holder, f"{holder}.nexus_card.why")  # type: ignore[union-attr]
    assert found is not None and isinstance(found.choice, Variant)
    missing = {off.off for off in found.choice.off.values() if "in this game" in off.off}
    assert bool(missing) == (mode == "basic" and (card, panel) in ADVANCED_ONLY)


def test_an_effect_that_a_ruling_takes_away_is_said_to_be_off() -> None:
    """Nobody is asked about a price to be kept, and nothing is shipped a second time. [NEXUS-EMP-12, NEXUS-GUILD-46]"""
    rulings = {
        "nexus.emperor.purchase_prompt": "effect_unavailable",
        "nexus.guild.betrayal_producers": "preview_exclusions",
    }
    case = {
        "modules": ["nexus"],
        "seats": ["atreides", "harkonnen", "guild"],
        "phase": "mentat",
        "rulings": rulings,
        "atreides": {"nexus": "emperor"},
        "guild": {"nexus": "guild"},
        "harkonnen": {"nexus": "richese"},
    }
    game = stage(case).game  # type: ignore[union-attr]
    for seat, name in (
        ("atreides", "emperor_price_kept"),
        ("guild", "nexus_second_shipment"),
        ("harkonnen", "nexus_five_as_one"),
    ):
        found = describe_offer(game, seat, f"{seat}.nexus_card.why")
        assert found is not None and isinstance(found.choice, Variant)
        assert "rulings of this game" in found.choice.off[name].off


def test_nobody_else_reads_it_and_no_seat_without_a_card() -> None:
    game = _game("atreides")
    assert describe_offer(game, "atreides", "harkonnen.nexus_card.why") is None
    assert describe_offer(game, "atreides", "atreides.nexus_card.why") is None
    assert describe_offer(game, "spectator", "harkonnen.nexus_card.why") is None


def test_it_cannot_be_answered() -> None:
    refused = answer(_game("harkonnen"), "harkonnen", "harkonnen.nexus_card.why", {"do": "x"})
    assert getattr(refused, "code", "") == "stale"


def test_an_action_that_tells_no_reasons_has_none_to_read() -> None:
    assert describe_offer(_game("atreides"), "harkonnen", "harkonnen.bribe.why") is None


def test_what_can_be_played_by_itself_and_as_an_answer_is_not_said_to_be_barred() -> None:
    """Two ways to play one effect have one name: the way that is open counts. [NEXUS-EMP-18, NEXUS-68]"""
    case = {
        "mode": "advanced",
        "modules": ["nexus"],
        "seats": ["emperor", "harkonnen", "guild"],
        "circles": [1, 4, 7],
        "turn": 2,
        "phase": "battle",
        "storm": 18,
        "seed": 1,
        "discard": {"treachery": ["karama", "karama"]},
        "emperor": {"forces": {"red_chasm": {"sardaukar": 3, "regular": 2}}},
        "guild": {"forces": {"red_chasm": 3}},
        "harkonnen": {"nexus": "emperor"},
    }
    game = stage(case).game  # type: ignore[union-attr]
    for _ in range(8):
        passed = next(
            (one for one in game.open if one.kind.startswith("window.") and one.committed is None),
            None,
        )
        if passed is None:
            break
        game = answer(game, passed.seat, passed.id, {"do": "pass"}).game  # type: ignore[union-attr]
    assert {one.kind for one in game.open} == {"battle_plan"}
    assert anytime_offer(game, "harkonnen", "nexus_card") is not None
    found = describe_offer(game, "harkonnen", "harkonnen.nexus_card.why")
    assert found is not None and isinstance(found.choice, Variant)
    assert set(found.choice.variants) == {"suppress_sardaukar"}
    assert "suppress_sardaukar" not in found.choice.off
