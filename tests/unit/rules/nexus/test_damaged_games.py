"""What does not hold together is refused: a stored gate, a deck of traitors. [NEXUS-48, NEXUS-HARK-04]"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from services.rules.engine.game import Game, Refusal, answer, load
from services.rules.staging import stage
from shared.dune.table import Table, put, zone
from tests.anytime import anytime_id, anytime_offer

GATE = "window.nexus.guild_payment"
PAYMENT: dict[str, Any] = {
    "modules": ["nexus"],
    "seats": ["harkonnen", "emperor", "guild"],
    "phase": "shipment",
    "discard": {"treachery": ["karama", "karama"]},
    "circles": [4, 7, 10],
    "storm": 2,
    "harkonnen": {"spice": 10},
    "emperor": {"nexus": "guild"},
}


def _at_the_gate() -> Game:
    game = stage(PAYMENT).game
    forces = {"from": {"reserves": {"regular": 3}}, "to": "carthag:10"}
    (ship,) = game.open
    declared = answer(game, "harkonnen", ship.id, {"do": "ship", "forces": forces})
    assert not isinstance(declared, Refusal), declared
    assert [offer.kind for offer in declared.game.open] == [GATE]
    return declared.game


def test_a_stored_gate_whose_frame_is_missing_is_not_taken_up() -> None:
    """The shipment does not go on as if everybody had passed. [NEXUS-48, NEXUS-GUILD-57]"""
    game = _at_the_gate()
    saved = game.checkpoint()
    assert load(game.table, saved) == game
    frames = msgspec.json.decode(saved.stack)
    for broken in (frames[:-1], frames[:-2], []):
        damaged = msgspec.structs.replace(saved, stack=msgspec.Raw(msgspec.json.encode(broken)))
        with pytest.raises(ValueError, match="does not hold together"):
            load(game.table, damaged)


def test_a_stored_gate_that_nobody_asks_is_not_taken_up() -> None:
    """Nor is one whose questions, or those who owe an answer, were lost. [NEXUS-48]"""
    game = _at_the_gate()
    saved = game.checkpoint()
    for damaged in (
        msgspec.structs.replace(saved, waiting=()),
        msgspec.structs.replace(saved, waiting=saved.waiting * 2),
    ):
        with pytest.raises(ValueError, match="does not hold together"):
            load(game.table, damaged)
    with pytest.raises(KeyError):
        load(game.table, msgspec.structs.replace(saved, open=()))


@pytest.mark.parametrize("change", [{"subject": None}, {"kind": 3}, {"flow": "gate_of_nobody"}])
def test_a_stored_gate_that_is_no_gate_is_not_read(change: dict[str, Any]) -> None:
    """Strictly by its fields. [NEXUS-47, NEXUS-48]"""
    game = _at_the_gate()
    saved = game.checkpoint()
    frames = msgspec.json.decode(saved.stack)
    frames[-1]["flow"] = {**frames[-1]["flow"], **change}
    damaged = msgspec.structs.replace(saved, stack=msgspec.Raw(msgspec.json.encode(frames)))
    with pytest.raises(msgspec.ValidationError):
        load(game.table, damaged)


def _holding(holder: str, traitors: list[str]) -> Game:
    seats = ["atreides", "emperor", holder]
    return stage(
        {
            "modules": ["nexus"],
            "seats": seats,
            "phase": "mentat",
            holder: {"nexus": "harkonnen", "traitors": traitors},
        }
    ).game


def _off(game: Game, table: Table, holder: str) -> str:
    """Why the card cannot be played on another table, asked as a worker is that has just taken it up."""
    damaged = msgspec.structs.replace(game, table=table)
    assert anytime_offer(damaged, holder, "nexus_card") is None
    refused = answer(damaged, holder, anytime_id(damaged, holder, "nexus_card"), {"do": "harkonnen_cunning"})
    assert isinstance(refused, Refusal)
    assert zone(damaged.table, f"nexus.{holder}") == ("nexus_harkonnen",)
    return refused.code


@pytest.mark.parametrize("holder", ["harkonnen", "guild"])
def test_a_deck_of_traitors_that_is_not_whole_is_not_exchanged_with(holder: str) -> None:
    """One identity lost, doubled or strange: refused, and the card is kept. [NEXUS-HARK-04, EX-HARK-07]"""
    game = _holding(holder, ["caid"])
    deck = zone(game.table, "traitor_deck")
    assert anytime_offer(game, holder, "nexus_card") is not None
    for cards in (deck[1:], (*deck, deck[0]), (*deck[1:], "traitor:nobody"), ()):
        table = put(game.table, zones={**game.table.zones, "traitor_deck": cards})
        assert _off(game, table, holder) == "stale"


def test_a_short_deck_is_not_exchanged_with() -> None:
    """Fewer cards than are drawn lie in it: nobody draws fewer, and nobody's cards are taken. [NEXUS-HARK-06]"""
    game = _holding("guild", ["caid"])
    deck = zone(game.table, "traitor_deck")
    zones = {**game.table.zones, "traitor_deck": deck[:1], "traitors.emperor": deck[1:]}
    assert _off(game, put(game.table, zones=zones), "guild") == "stale"
