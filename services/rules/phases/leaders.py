"""What several phases ask about leaders: which of them may serve, how one dies, what it is worth."""

from __future__ import annotations

from shared.dune.settings import Faction
from shared.dune.table import Piece, Table

__all__ = ["available_leaders", "dies_face_down", "leader_place"]


def dies_face_down(table: Table, leader: Piece) -> bool:
    """Whether a leader that is killed now lies face down: it was revived before. [REVIVAL-16, BATTLE-50]"""
    return table.leader_cycle.get(leader, 0) >= 2


def leader_place(leader: Piece) -> str:
    """The public mark of the territory in which a leader fought this phase and stays. [BATTLE-14]"""
    return f"phase.leader_at.{leader}"


def available_leaders(table: Table, faction: Faction, territory: str) -> tuple[Piece, ...]:
    """The leaders that may fight in a territory: active, and not used in another one this phase.

    [BATTLE-12, BATTLE-13]
    """
    return tuple(
        leader
        for leader in table.leaders(faction)
        if table.value(leader_place(leader), territory) == territory
    )
