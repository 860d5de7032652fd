"""Secret Ally b of the Fremen card: three forces revived free, as the ordinary revival. [NEXUS-FRE-11..NEXUS-FRE-13]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Frame
from services.rules.engine.hooks import contributes
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.modules.nexus.plays import nexus_play
from services.rules.modules.nexus.revivals import REASON, SecretAllyRevival
from services.rules.phases.revival import has_revived, revive_forces
from services.rules.phases.revival_quotes import FreeRevival, RevivalLimit, free_revival, revivable_kinds
from shared.dune.settings import Faction
from shared.dune.shapes import Amounts, Fields, Json, Off
from shared.dune.table import Table

NUMBER = 3
USED = "phase.nexus_revived."
"""Prefix of public marks: how many of its ordinary revivals a seat has used by the card. [NEXUS-FRE-12]"""


@nexus_play
class FremenRevival(SecretAllyRevival):
    """Three forces, counted against the ordinary revival but by ruling. [NEXUS-FRE-11, NEXUS-FRE-12]"""

    name: ClassVar[str] = "fremen_revival"
    native: ClassVar[Faction] = "fremen"
    rule: ClassVar[str] = "NEXUS-FRE-11"
    label: ClassVar[str] = "Revive three forces free"
    text: ClassVar[str] = "revives three forces free."

    def revivals(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """Before any ordinary return, with three forces that may. [NEXUS-FRE-12]"""
        kinds = revivable_kinds(table, seat)
        if sum(kinds.values()) < NUMBER:
            return Off(f"You have fewer than {NUMBER} forces to revive.", "NEXUS-FRE-12")
        if _within(table) and has_revived(stack, seat):
            return Off("You have revived already in this phase.", "NEXUS-FRE-12")
        if _within(table) and free_revival(table, seat).value > NUMBER:
            return Off("You revive more than that free without it.", "NEXUS-FRE-12")
        return Fields({"forces": Amounts(kinds, NUMBER, NUMBER)}, labels={"forces": "Forces"})

    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow | None:
        """Free."""
        revive_forces(play, seat, answer["forces"], REASON)
        if _within(play.table):
            play.set_public(f"{USED}{seat}", NUMBER)
        return None


def _within(table: Table) -> bool:
    return ruling(table, "nexus.fremen.revival_accounting") == "within_ordinary"


@contributes(RevivalLimit, rule="NEXUS-FRE-12", order=95)
def used_of_the_limit(limit: RevivalLimit, table: Table) -> RevivalLimit:
    """What the card revived is used up of the limit. [NEXUS-FRE-12]"""
    used = table.count(f"{USED}{limit.faction}")
    return (
        limit.step(max(0, limit.value - used), "Revived with a Nexus card", "NEXUS-FRE-12") if used else limit
    )


@contributes(FreeRevival, rule="NEXUS-FRE-12", order=95)
def used_of_the_free(free: FreeRevival, table: Table) -> FreeRevival:
    """And of the free forces. [NEXUS-FRE-12]"""
    used = table.count(f"{USED}{free.faction}")
    return free.step(max(0, free.value - used), "Revived with a Nexus card", "NEXUS-FRE-12") if used else free
