"""What the effects in battles have in common: until when they may be played. [NEXUS-37]"""

from __future__ import annotations

from services.rules.engine.flow import Frame
from services.rules.phases.battle_grounds import Clash
from services.rules.phases.battle_plan import clash_now, committed_plan, plans_are_awaited
from shared.dune.settings import Faction
from shared.dune.shapes import Off
from shared.dune.table import Table

__all__ = ["is_planning", "own_clash"]


def own_clash(table: Table, seat: Faction) -> Clash | None:
    """The battle being fought now, if the seat fights in it itself."""
    clash = clash_now(table)
    return clash if clash is not None and seat in clash.sides else None


def is_planning(seat: Faction, stack: tuple[Frame, ...], rule: str) -> Off | None:
    """None while plans are being made and the seat's own is not committed; else why not, by a rule. [NEXUS-37]"""
    if not plans_are_awaited(stack):
        return Off("It is played while the plans of a battle are being made.", rule)
    if committed_plan(stack, seat) is not None:
        return Off("You have committed your plan.", rule)
    return None
