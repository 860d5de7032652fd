"""Fremen move two territories. [FRE-07]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.factions.fremen import NAME
from services.rules.phases.movement_quotes import MoveRange
from shared.dune.table import Table

RANGE = "fremen.movement"
"""Karama name: the second territory of one movement. [FRE-38]"""


@contributes(MoveRange, rule="FRE-07", order=30, cancel=RANGE)
def fremen_range(moved: MoveRange, table: Table) -> MoveRange:
    """Two territories; ornithopters reach three anyway. [FRE-07, MOVE-07]"""
    return moved.raised(2, "Fremen move two territories", "FRE-07", RANGE) if moved.faction == NAME else moved
