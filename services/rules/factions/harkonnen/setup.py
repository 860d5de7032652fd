"""Harkonnen at setup. [HARK-01]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.engine.quotes import StartingCards, TraitorsKept
from services.rules.factions.harkonnen import NAME
from shared.dune.table import Table


@contributes(TraitorsKept, rule="START-09")
def keeps_all_traitors(kept: TraitorsKept, table: Table) -> TraitorsKept:
    """Harkonnen keeps all four traitor cards."""
    return kept.step(4, "Harkonnen keeps all its traitors", "START-09") if kept.faction == NAME else kept


@contributes(StartingCards, rule="START-19")
def draws_two_cards(drawn: StartingCards, table: Table) -> StartingCards:
    """Harkonnen begins with two treachery cards."""
    return drawn.step(2, "Harkonnen begins with two cards", "START-19") if drawn.faction == NAME else drawn
