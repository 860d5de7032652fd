"""Cheap Hero and Cheap Heroine: they take a leader's place with strength 0. [HERO-01..HERO-05, HERO-09]"""

from __future__ import annotations

import msgspec

from services.rules.engine.hooks import contributes
from services.rules.phases.battle_quotes import PlanParts
from shared.dune import facts
from shared.dune.shapes import Option
from shared.dune.table import Table


@contributes(PlanParts, rule="HERO-01", order=10)
def fights_as_leader(parts: PlanParts, table: Table) -> PlanParts:
    """One may stand in the leader slot: it must if there is no leader, it may if there is one.

    [HERO-01, HERO-02, HERO-03, BATTLE-16]
    """
    heroes = [card for card in table.hand(parts.faction) if "leader" in facts.treachery(card).slots]
    options = tuple(Option(card, f"{facts.name(card)} (0)") for card in heroes)
    return msgspec.structs.replace(parts, leaders=(*parts.leaders, *options))
