"""The traitor deck in games with Nexus cards: every identity in one place, and as many held as the rules say.

[NEXUS-HARK-01..NEXUS-HARK-07, NEXUS-HARK-53]
"""

from __future__ import annotations

import random

import msgspec
import pytest

from services.cases.answers import completed
from services.rules.engine.game import Decision, answer, load
from services.rules.newgame import begin
from services.rules.staging import stage
from shared.dune import facts
from shared.dune.offers import Checkpoint, Offer
from shared.dune.settings import Settings
from shared.dune.shapes import Json
from shared.dune.table import Table, zone
from tests.anytime import anytime_offer
from tests.property.players import next_answer, sampled

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
    """From the end of setup on, in the ordinary course of a game."""
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


@pytest.mark.parametrize(("holder", "number"), [("harkonnen", 1), ("guild", 2)])
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_an_exchange_keeps_every_card(holder: str, number: int, seed: int) -> None:
    """The draw enlarges the hand by as many as are owed, the return takes them back. [NEXUS-HARK-07, NEXUS-HARK-13]"""
    seats = ["atreides", "emperor", holder]
    described = {
        "modules": ["nexus"],
        "seats": seats,
        "seed": seed,
        "phase": "mentat",
        "atreides": {"traitors": ["bashar"]},
        "emperor": {"traitors": ["duncan_idaho"]},
        "harkonnen": {"traitors": ["caid", "burseg", "feyd_rautha", "umman_kudu"], "nexus": "harkonnen"},
        "guild": {"traitors": ["caid"], "nexus": "harkonnen"},
    }
    game = stage(
        {key: value for key, value in described.items() if key not in ("harkonnen", "guild") or key == holder}
    ).game
    _check(game.table, 0)
    card = anytime_offer(game, holder, "nexus_card")
    assert card is not None
    rng = random.Random(seed)
    played = answer(game, holder, card.id, card.choice.sample(rng))
    assert isinstance(played, Decision), played
    _check(played.game.table, number)
    (owed,) = [offer for offer in played.game.open if offer.kind == "traitor_return"]
    returned = answer(played.game, holder, owed.id, owed.choice.sample(rng))
    assert isinstance(returned, Decision), returned
    _check(returned.game.table, 0)
    names = [type(event).__name__ for event in (*played.events, *returned.events)]
    assert names.count("TraitorsDrawn") == names.count("TraitorsReturned") == names.count("Shuffled") == 1


CALLED = {
    "modules": ["nexus"],
    "seats": ["atreides", "emperor", "guild", "harkonnen"],
    "circles": [1, 4, 7, 10],
    "phase": "battle",
    "atreides": {"nexus": "harkonnen", "traitors": ["dr_yueh"]},
    "emperor": {"nexus": "ixians", "traitors": ["caid"]},
    "guild": {"forces": {"red_chasm": 4}, "traitors": ["master_bewt"]},
    "harkonnen": {"forces": {"red_chasm": 4}, "traitors": ["guild_rep", "bashar", "burseg", "duncan_idaho"]},
}
PLANS = {"harkonnen": {"leader": "umman_kudu", "dial": 1}, "guild": {"leader": "guild_rep", "dial": 3}}


def _said(offer: Offer, rng: random.Random) -> Json:
    """The called battle as it is set up, anything legal otherwise."""
    if offer.kind == "battle_plan":
        return completed(offer.choice, PLANS[offer.seat])
    if offer.kind == "traitor_call":
        return {"do": "call" if offer.seat == "harkonnen" else "pass"}
    if offer.kind == "window.nexus.harkonnen_traitor":
        return {"do": "harkonnen_betrayal" if offer.seat == "atreides" else "pass"}
    return sampled(offer, rng)


@pytest.mark.parametrize("seed", range(1, 13))
def test_a_due_replacement_is_drawn_once_at_the_mentat_pause(seed: int) -> None:
    """One goes back with the use and one is drawn, with a restart at every decision between. [NEXUS-HARK-42]"""
    game, rng, names = stage({**CALLED, "seed": seed}).game, random.Random(seed), list[str]()
    while game.table.turn == 2 and game.table.result is None:
        waiting = [offer for offer in game.open if offer.committed is None]
        offer = rng.choice(waiting)
        outcome = answer(game, offer.seat, offer.id, _said(offer, rng))
        assert isinstance(outcome, Decision), outcome
        names += [type(event).__name__ for event in outcome.events]
        stored = msgspec.json.encode((outcome.game.table, outcome.game.checkpoint()), order="sorted")
        game = load(*msgspec.json.decode(stored, type=tuple[Table, Checkpoint]))
        _check(game.table, 0)
        due = names.count("TraitorsReturned") - names.count("TraitorsDrawn")
        assert game.table.count("turn.traitor_due") == due
        assert due == 0 or game.table.phase != "mentat"
    course = [name for name in names if name in ("TraitorsReturned", "TraitorsDrawn", "StrongholdsCounted")]
    assert course == ["TraitorsReturned", "TraitorsDrawn", "StrongholdsCounted"]
    assert names.count("NexusCardPlayed") == 1
