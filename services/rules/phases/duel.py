"""The game of two: what its rules change, in one place. [MENTAT-07, NEXUSPHASE-11]"""

from __future__ import annotations

from services.rules.engine.rulings import ruling
from shared.dune.table import Table

__all__ = ["is_duel"]


def is_duel(table: Table) -> bool:
    """Whether two play, and not by the rules for more: four strongholds are needed, and nobody allies. [RULING-51]"""
    return len(table.seats) == 2 and ruling(table, "two_player_threshold") == "four_no_alliance"
