"""Sardaukar in battle. [EMP-07, EMP-09, EMP-22]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.factions.emperor import NAME
from services.rules.phases.battle_grounds import number_of_kind
from services.rules.phases.battle_powers import BattlePowers
from services.rules.phases.battle_strength import ForceStrength
from shared.dune.table import Table

SARDAUKAR = "sardaukar"
POWER = "emperor.sardaukar"
EQUALS = "fremen"
"""Against them a Sardaukar is worth no more than anybody. [EMP-07]"""


@contributes(BattlePowers, rule="EMP-22", modes=("advanced",))
def may_be_cancelled(powers: BattlePowers, table: Table) -> BattlePowers:
    """Sardaukar that take part may be made normal forces for one battle. [EMP-22]"""
    clash = powers.clash
    if NAME not in clash.sides or not number_of_kind(table, clash, NAME, SARDAUKAR):
        return powers
    return powers.add(POWER, "Sardaukar count more than normal forces in this battle")


@contributes(ForceStrength, rule="EMP-07", order=20, cancel=POWER, modes=("advanced",))
def sardaukar_count_twice(counts: ForceStrength, table: Table) -> ForceStrength:
    """A Sardaukar counts 2, against Fremen 1; without spice half of that. [EMP-07, EMP-09, BATTLE-33]"""
    if counts.kind != SARDAUKAR:
        return counts
    if counts.opponent == EQUALS:
        return counts.step(counts.value, "A Sardaukar counts 1 against Fremen", "EMP-07")
    return counts.step(2 * counts.value, "A Sardaukar counts 2", "EMP-07")
