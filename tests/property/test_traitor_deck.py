"""The traitor deck in games with Nexus cards: every identity in one place, and as many held as the rules say.

[NEXUS-HARK-01..NEXUS-HARK-07, NEXUS-HARK-53]
"""

from __future__ import annotations

import random

import pytest

from services.rules.engine.game import Decision, answer
from services.rules.newgame import begin
from shared.dune import facts
from shared.dune.settings import Settings
from shared.dune.table import Table, zone
from tests.property.players import next_answer

ROSTERS = (
    ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen"),
    ("atreides", "emperor", "harkonnen"),
    ("atreides", "emperor", "fremen", "guild"),
)
MOST_DECISIONS = 1500


def _check(table: Table, pending: int) -> None:
    """Every card once; with nobody exchanging, all that are held but those that are due again."""
    held = [card for seat in table.seats for card in zone(table, f"traitors.{seat}")]
    deck = list(zone(table, "traitor_deck"))
    assert not any(zone(table, f"traitors_out.{seat}") for seat in table.seats)
    assert sorted(held + deck) == sorted(
        f"traitor:{leader}" for seat in table.seats for leader in facts.leaders_of(seat)
    )
    usual = len(table.seats) + (3 if "harkonnen" in table.seats else 0)
    assert len(held) == usual + pending - table.count("turn.traitor_due")


@pytest.mark.parametrize("roster", ROSTERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_traitor_card_is_in_one_place_at_every_decision(roster: tuple[str, ...], seed: int) -> None:
    """From the end of setup on, through exchanges, void calls and replacements."""
    decision = begin(Settings("basic", ("nexus",), seats=roster, last_turn=6), seed)
    assert isinstance(decision, Decision)
    game, rng, checked = decision.game, random.Random(seed), 0
    for _ in range(MOST_DECISIONS):
        if game.table.result is not None:
            break
        if game.table.phase != "setup":
            owed = [o for o in game.open if o.kind == "traitor_return"]
            _check(game.table, sum(len(o.default["cards"]) for o in owed))
            checked += 1
        offer, given = next_answer(game, rng)
        outcome = answer(game, offer.seat, offer.id, given)
        assert isinstance(outcome, Decision), outcome
        game = outcome.game
    assert checked > 100


def test_what_nobody_kept_lies_under_the_deck_in_the_order_of_the_circle() -> None:
    """Nothing is shuffled by it: what was never dealt stays on top, as it lay. [NEXUS-HARK-02, NEXUS-HARK-03]"""
    seats = ("atreides", "emperor", "fremen")
    decision = begin(Settings("basic", ("nexus",), seats=seats), 3)
    assert isinstance(decision, Decision)
    game = decision.game
    undealt = zone(game.table, "traitor_deck")
    dealt = {seat: zone(game.table, f"traitors_dealt.{seat}") for seat in seats}
    for seat in seats:
        chosen = next(offer for offer in game.open if (offer.seat, offer.kind) == (seat, "traitor"))
        outcome = answer(game, seat, chosen.id, chosen.default)
        assert isinstance(outcome, Decision), outcome
        game = outcome.game
    unused = [c for seat in seats for c in dealt[seat] if c not in zone(game.table, f"traitors.{seat}")]
    assert zone(game.table, "traitor_deck") == (*undealt, *unused)
