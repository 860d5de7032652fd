"""Shield and Snooper: what they stop is in the facts of each card (`protects`). [DEF-01..DEF-05]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.phases.battle_quotes import LeaderFate
from shared.dune import facts
from shared.dune.table import Table

STOPPED_BY = {"projectile": ("projectile",), "poison": ("poison",), "both": ("projectile", "poison")}
"""What a defense must protect from to stop an attack."""


@contributes(LeaderFate, rule="DEF-01", order=20)
def defense_saves(fate: LeaderFate, table: Table) -> LeaderFate:
    """A defense of the right kind saves its own side's leader; one of the wrong kind does nothing.

    [DEF-01, DEF-02, DEF-04, DEF-05]
    """
    if fate.defense is None or fate.weapon is None or not fate.value:
        return fate
    needed = STOPPED_BY.get(facts.treachery(fate.weapon).attack)
    if needed is None or not set(needed) <= set(facts.treachery(fate.defense).protects):
        return fate
    rule = "DEF-01" if "projectile" in needed else "DEF-02"
    return fate.step(0, f"{facts.name(fate.defense)} stops {facts.name(fate.weapon)}", rule)
