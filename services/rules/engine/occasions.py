"""Occasions: what a standing offer is bound to, so that a request which comes late is not taken for another one.

All is read from what everybody knows, so that the name of an occasion tells nobody anything. [NEXUS-42, NEXUS-60]
"""

from __future__ import annotations

from shared.dune.settings import Faction
from shared.dune.table import Table

__all__ = ["this_alliance", "this_phase", "this_turn"]


def this_turn(table: Table) -> str:
    """The turn: for what may be done in all of it."""
    return str(table.turn)


def this_phase(table: Table) -> str:
    """The phase of this turn."""
    return f"{table.turn}.{table.phase}"


def this_alliance(table: Table, seat: Faction) -> str:
    """The ally of a seat in this turn: what is said to an ally is not said to the next one, nor in a later alliance.

    [BID-16]
    """
    return f"{this_turn(table)}.{table.ally_of(seat)}"
