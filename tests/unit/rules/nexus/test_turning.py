"""A set of advisors that changed while its use could be cancelled: all of it or nothing turns.

[NEXUS-BG-16, NEXUS-BG-22, EX-BG-11] Nothing in the classic game changes forces within that window, so the change is
made by hand here.
"""

from __future__ import annotations

from typing import Any

import pytest

from services.rules.engine.game import Decision, Game, answer, load
from services.rules.staging import stage
from shared.dune.table import RESERVES, TANKS, Table, move_forces, put, zone
from tests.anytime import anytime_offer

BG = "bene_gesserit"
TABLE: dict[str, Any] = {
    "mode": "advanced",
    "modules": ["nexus"],
    "seats": [BG, "fremen", "guild"],
    "circles": [1, 4, 7],
    "phase": "shipment",
    "storm": 18,
    BG: {"nexus": BG, "forces": {"old_gap:9": {"advisor": 2}, "carthag:10": {"advisor": 1}}},
    "fremen": {"forces": {"old_gap:9": 1, "carthag:10": 1}},
}


def declared() -> Game:
    """Both territories announced, and the others asked."""
    game = stage(TABLE).game
    while not any(offer.kind == "ship" and offer.seat == BG for offer in game.open):
        asked = next(offer for offer in game.open if offer.committed is None)
        game = taken(answer(game, asked.seat, asked.id, asked.default))
    card = anytime_offer(game, BG, "nexus_card")
    assert card is not None
    return taken(answer(game, BG, card.id, {"do": "turn_advisors", "territories": ["old_gap", "carthag"]}))


def taken(outcome: object) -> Game:
    assert isinstance(outcome, Decision), outcome
    return outcome.game


def all_pass(game: Game) -> Game:
    def asked() -> list[Any]:
        return [o for o in game.open if o.committed is None and o.kind.startswith("window.cancel.nexus")]

    while waiting := asked():
        game = taken(answer(game, waiting[0].seat, waiting[0].id, {"do": "pass"}))
    return game


def sides(table: Table) -> dict[str, dict[str, int]]:
    return {place: dict(table.kinds_at(place, BG)) for place in ("old_gap:9", "carthag:10")}


def one_fewer(table: Table) -> Table:
    return move_forces(table, BG, {"advisor": 1}, "old_gap:9", TANKS)


def full_now(table: Table) -> Table:
    return move_forces(table, "guild", {"regular": 1}, RESERVES, "carthag:10")


def allied_now(table: Table) -> Table:
    return put(table, allies={BG: "fremen", "fremen": BG})


def test_unchanged_all_of_it_turns() -> None:
    game = all_pass(declared())
    assert sides(game.table) == {"old_gap:9": {"regular": 2}, "carthag:10": {"regular": 1}}


@pytest.mark.parametrize("change", [one_fewer, full_now, allied_now])
def test_changed_in_one_territory_nothing_turns(change: Any) -> None:
    game = declared()
    changed = load(change(game.table), game.checkpoint())
    before = sides(changed.table)
    after = all_pass(changed)
    assert sides(after.table) == before
    assert zone(after.table, f"nexus.{BG}") == ()
