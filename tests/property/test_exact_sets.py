"""Exactly what the rules allow may be shipped and moved, and nothing else: the offers against a search of their own."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from services.rules.engine.game import Decision, Game, answer
from services.rules.engine.rulings import ruling
from services.rules.staging import stage
from shared.dune.events import Event, evolve
from shared.dune.events.forces import ForcesMoved, SpicePaid
from shared.dune.events.pledges import PLEDGES
from shared.dune.offers import Offer
from shared.dune.table import Table
from tests.property.exact import movements, payments, shipments
from tests.property.players import next_answer
from tests.property.test_sides import crowded

TABLES = int(os.environ.get("SIETCH_LAWS_TABLES", "2"))
FIRST = int(os.environ.get("SIETCH_LAWS_SEED", "1"))
CHECKS = {"ship": shipments, "move": movements}
WAYS = {"shipment": "ship", "reinforcement": "ship", "cross-ship": "cross_ship", "return": "return"}
"""How the log calls the ways to ship."""


@pytest.mark.parametrize("seed", range(FIRST, FIRST + TABLES))
def test_exactly_what_the_rules_allow_is_shipped_and_moved(seed: int) -> None:
    """Crowded tables with advisors, allies and storm: every place, some numbers, forces of two places together.

    [MOVE-01..MOVE-15, SHIP-04..SHIP-12, BG-28, BG-51, FRE-03, FRE-27, GUILD-05, GUILD-18]
    """
    rng = random.Random(seed)
    table = {**crowded(rng), "phase": "shipment"}
    game = stage(table if seed % 2 else _with_cards(rng, table)).game
    asked: set[str] = set()
    while game.table.result is None and game.table.phase == "shipment":
        for offer in game.open:
            if offer.kind in CHECKS and offer.id not in asked and PLEDGES not in game.table.marks:
                asked.add(offer.id)
                _exact(game, offer)
        offer, given = next_answer(game, rng)
        outcome = answer(game, offer.seat, offer.id, given)
        assert isinstance(outcome, Decision)
        _paid(game.table, outcome.events)
        game = outcome.game


def _with_cards(rng: random.Random, table: dict[str, Any]) -> dict[str, Any]:
    """Those without an ally hold the Nexus cards that open ways to ship, or another. [NEXUS-20]"""
    alone = [seat for seat in table["seats"] if "ally" not in table[seat]]
    faces = rng.sample(("guild", "richese", "ixians", "choam"), min(4, len(alone)))
    held = {seat: {**table[seat], "nexus": face} for seat, face in zip(alone, faces, strict=False)}
    excluded = {"nexus.guild.betrayal_producers": "preview_exclusions"} if rng.random() < 0.2 else {}
    return {**table, **held, "modules": ["nexus"], "rulings": {**table["rulings"], **excluded}}


def _paid(table: Table, events: tuple[Event, ...]) -> None:
    """What was paid for the forces that came by a shipment, and to whom, as the table stood when it was due."""
    paid: dict[tuple[str, str], int] = {}
    landed: list[ForcesMoved] = []
    due = table
    for event in events:
        if isinstance(event, SpicePaid) and event.reason in WAYS:
            due = due if paid else table
            paid[event.payer, event.receiver] = event.amount
        elif isinstance(event, ForcesMoved) and event.how in WAYS:
            due = due if paid or landed else table
            landed.append(event)
        table = evolve(table, event)
    keeps = ruling(table, "own_contribution_returns") == "back_to_owner"
    by_card = due.is_set("phase.shipping.opened")  # what such a way costs is held against its offer
    if (
        landed and not by_card and not (keeps and table.ally_of(landed[0].faction) == "guild")
    ):  # its own part is unseen
        one, number = landed[0], sum(sum(event.kinds.values()) for event in landed)
        help_ = sum(amount for (payer, _), amount in paid.items() if payer != one.faction)
        wanted = payments(due, one.faction, WAYS[one.how], number, one.target, help_)
        assert paid == wanted, (paid, wanted, landed)


def _exact(game: Game, offer: Offer) -> None:
    for given, legal in CHECKS[offer.kind](game.table, offer.seat):
        if offer.kind == "move" and not offer.about["movements"]:
            legal = False
        found = offer.problem(given)
        assert (found is None) == legal, f"{offer.seat} {given}: {'legal' if legal else 'not legal'}, {found}"
