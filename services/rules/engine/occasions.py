"""Occasions: what a standing offer is bound to, so that a request which comes late is not taken for another one.

All is read from what everybody knows, so that the name of an occasion tells nobody anything. [NEXUS-42, NEXUS-60]
"""

from __future__ import annotations

from shared.dune.events.nexus import ALLIANCES
from shared.dune.table import Table

__all__ = ["this_alliance", "this_phase", "this_turn"]


def this_turn(table: Table) -> str:
    """The turn: for what may be done in all of it."""
    return str(table.turn)


def this_phase(table: Table) -> str:
    """The phase of this turn."""
    return f"{table.turn}.{table.phase}"


def this_alliance(table: Table) -> str:
    """The alliances as they stand: what is said to an ally is not said to the next one, nor to the same one later.

    By how many were made in this game: one that was broken offers nothing, and the next is another number. [BID-16]
    """
    return str(table.count(ALLIANCES))
