"""Fremen in battle: Fedaykin, and full strength without spice. [FRE-29, FRE-30, FRE-45, FRE-46]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.factions.fremen import NAME
from services.rules.phases.battle_grounds import number_of_kind
from services.rules.phases.battle_powers import BattlePowers
from services.rules.phases.battle_strength import ForceStrength
from shared.dune.table import Table

FEDAYKIN = "fedaykin"
ELITE, FREE = "fremen.fedaykin", "fremen.free_strength"
ADVANCED = ("advanced",)


@contributes(BattlePowers, rule="FRE-45", modes=ADVANCED)
def may_be_cancelled(powers: BattlePowers, table: Table) -> BattlePowers:
    """Fedaykin that take part, and strength without spice, may be cancelled for one battle. [FRE-45, FRE-46]"""
    if NAME not in powers.clash.sides:
        return powers
    if number_of_kind(table, powers.clash, NAME, FEDAYKIN):
        powers = powers.add(ELITE, "Fedaykin count more than normal forces in this battle")
    return powers.add(FREE, "Fremen forces count in full without spice in this battle")


@contributes(ForceStrength, rule="FRE-29", order=20, cancel=ELITE, modes=ADVANCED)
def fedaykin_count_twice(counts: ForceStrength, table: Table) -> ForceStrength:
    """A Fedaykin counts 2. [FRE-29, BATTLE-33]"""
    return (
        counts if counts.kind != FEDAYKIN else counts.step(2 * counts.value, "A Fedaykin counts 2", "FRE-29")
    )


@contributes(ForceStrength, rule="FRE-30", order=90, cancel=FREE, modes=ADVANCED)
def full_without_spice(counts: ForceStrength, table: Table) -> ForceStrength:
    """All Fremen forces count in full without spice. [FRE-30, BATTLE-34]"""
    if counts.faction != NAME:
        return counts
    return counts.step(counts.value, "Fremen need no spice", "FRE-30", needs_spice=False)
