"""Projectile and poison weapons: what they do is in the facts of each card (`attack`). [WEAP-01..WEAP-06]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.phases.battle_quotes import LeaderFate
from shared.dune import facts
from shared.dune.table import Table

STOPPABLE = ("projectile", "poison", "both")


@contributes(LeaderFate, rule="WEAP-01", order=10)
def weapon_kills(fate: LeaderFate, table: Table) -> LeaderFate:
    """An ordinary weapon kills the opponent's leader, unless a defense stops it; it does nothing else.

    [WEAP-01, WEAP-02, WEAP-03]
    """
    if fate.weapon is None or facts.treachery(fate.weapon).attack not in STOPPABLE:
        return fate
    text = f"{facts.name(fate.weapon)} kills {facts.name(fate.leader)}"
    rule = "WEAP-01" if facts.treachery(fate.weapon).attack == "projectile" else "WEAP-02"
    return fate.step(1, text, rule)
