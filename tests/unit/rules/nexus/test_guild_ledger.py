"""What is paid for a shipment adds up, over every kind of shipment, taken or not. [NEXUS-GUILD-37, NEXUS-GUILD-40]"""

from __future__ import annotations

from typing import Any

import pytest

from services.rules.engine.game import Decision, Game, answer
from services.rules.phases.promises import SHIPMENTS
from services.rules.staging import stage
from shared.dune.events.promises import promise_mark
from shared.dune.table import Table

SEATS = ["harkonnen", "emperor", "atreides", "guild"]
HOLDERS = ("harkonnen", "emperor", "atreides", "guild", "bank", *(f"escrow.{seat}" for seat in SEATS))
GATE = "window.nexus.guild_payment"
HOLDER = {"nexus": "guild"}
Parts = dict[str, int]

# name, who ships, way, source, forces, target, what each payer pays, who is paid otherwise, further facts of the table
KINDS: list[tuple[str, str, str, str, int, str, Parts, Parts, dict[str, Any]]] = [
    ("stronghold", "harkonnen", "ship", "reserves", 3, "carthag:10", {"harkonnen": 3}, {"guild": 3}, {}),
    ("desert", "harkonnen", "ship", "reserves", 3, "meridian:1", {"harkonnen": 6}, {"guild": 6}, {}),
    ("one's own", "atreides", "ship", "reserves", 4, "carthag:10", {"atreides": 4}, {"guild": 4}, {}),
    ("own Karama", "harkonnen", "ship_karama", "reserves", 3, "carthag:10", {"harkonnen": 2}, {"bank": 2},
     {"harkonnen": {"spice": 20, "hand": ["karama"]}}),
    ("reserves of the Guild", "guild", "ship", "reserves", 5, "carthag:10", {"guild": 3}, {"bank": 3}, {}),
    ("cross-ship", "guild", "cross_ship", "tueks_sietch:4", 4, "meridian:1", {"guild": 4}, {"bank": 4}, {}),
    ("return", "guild", "return", "tueks_sietch:4", 5, "reserves", {"guild": 3}, {"bank": 3}, {}),
    ("five as one", "harkonnen", "nexus_five_as_one", "reserves", 5, "meridian:1", {"harkonnen": 2}, {"guild": 2},
     {"harkonnen": {"spice": 20, "nexus": "richese"}}),
    ("the Guild's ally", "harkonnen", "ship", "reserves", 3, "carthag:10", {"harkonnen": 2}, {"guild": 2},
     {"harkonnen": {"spice": 20, "ally": "guild"}}),
    ("its ally's cross-ship", "harkonnen", "cross_ship", "arrakeen:9", 4, "meridian:1", {"harkonnen": 4}, {"guild": 4},
     {"harkonnen": {"spice": 20, "ally": "guild", "forces": {"arrakeen:9": 5}}}),
    ("an ally's part", "harkonnen", "ship", "reserves", 4, "carthag:10", {"harkonnen": 3, "emperor": 1}, {"guild": 4},
     {"harkonnen": {"spice": 20, "ally": "emperor"},
      "emperor": {"spice": 20, "secrets": {promise_mark(SHIPMENTS, "emperor"): ("harkonnen", "3")}}}),
    ("what the ally must pay", "harkonnen", "ship", "reserves", 4, "carthag:10", {"harkonnen": 1, "emperor": 3},
     {"guild": 4}, {"harkonnen": {"spice": 1, "ally": "emperor"},
                    "emperor": {"spice": 20, "secrets": {promise_mark(SHIPMENTS, "emperor"): ("harkonnen", "3")}}}),
]  # fmt: skip


def staged(more: dict[str, Any]) -> Game:
    table: dict[str, Any] = {"modules": ["nexus"], "seats": SEATS, "circles": [4, 7, 10, 13], "storm": 2}
    rows = {
        "harkonnen": {"spice": 20},
        "emperor": {"spice": 20},
        "atreides": {"spice": 20, **HOLDER},
        "guild": {"spice": 20, "forces": {"tueks_sietch:4": 6}},
    }
    return stage({**table, "phase": "shipment", **rows, **more}).game


def ledger(table: Table) -> Parts:
    return {name: table.spice_of(name) for name in HOLDERS}


def played(game: Game, shipper: str, declaration: dict[str, Any], gate: str) -> tuple[Parts, Parts]:
    """The ledger before the declaration, and when the shipper may move; everybody else passes everything."""
    before: Parts = {}
    for _ in range(60):
        asked = next(offer for offer in game.open if offer.committed is None)
        if asked.seat == shipper and asked.kind == "move":
            return before, ledger(game.table)
        said: Any = asked.default
        if asked.seat == shipper and asked.kind == "ship":
            before, said = ledger(game.table), declaration
        elif asked.kind == GATE:
            said = {
                "do": gate
                if "nexus_take_payment" in str(asked.choice) and asked.seat == "atreides"
                else "pass"
            }
        decision = answer(game, asked.seat, asked.id, said)
        assert isinstance(decision, Decision), decision
        game = decision.game
    raise AssertionError("the shipment was never over")


@pytest.mark.parametrize("gate", ["pass", "nexus_take_payment"])
@pytest.mark.parametrize("kind", KINDS, ids=[row[0].replace(" ", "_") for row in KINDS])
def test_every_payment_adds_up(kind: tuple[Any, ...], gate: str) -> None:
    _, shipper, way, source, number, target, paid, receivers, more = kind
    forces = {"from": {source: {"regular": number}}, "to": target}
    part = {"ally_part": 1} if "emperor" in paid else {}
    before, after = played(staged(more), shipper, {"do": way, "forces": forces, **part}, gate)
    expected = dict(before)
    for payer, amount in paid.items():
        expected[payer] -= amount
    got = receivers if gate == "pass" else {"atreides": sum(paid.values())}
    for receiver, amount in got.items():
        expected[receiver] += amount
    assert after == expected
    assert sum(after.values()) == sum(before.values())
