"""Betrayal b of the Fremen card: no movement over two territories. [NEXUS-FRE-15..NEXUS-FRE-17]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.cancel import cancelled_mark
from services.rules.engine.flow import Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.windows import Subject, react
from services.rules.factions.fremen import NAME
from services.rules.factions.fremen.movement import RANGE
from services.rules.modules.nexus.gates import NexusReaction, gate
from services.rules.modules.nexus.holding import Mode
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Table

KIND = "two_territories"
ASKED = "turn.two_territories_acknowledged"
"""Public mark: all were asked before the first movement over two territories of the turn. [NEXUS-FRE-16]"""


@at("movement.by_power", rule="NEXUS-FRE-16")
def before_moving(table: Table, movement: Json) -> Flow | None:
    """Before the first that nobody has cancelled. [NEXUS-35, NEXUS-FRE-16]"""
    if movement["power"] != RANGE or table.is_set(ASKED):
        return None
    return MayMoveTwo(movement["to"])


class MayMoveTwo(Flow, tag="nexus.may_move_two", frozen=True, omit_defaults=True):
    """Whether Fremen move two territories at all in this phase. [NEXUS-FRE-15]"""

    to: str

    def start(self, play: Play) -> Next:
        """Asked once a turn."""
        play.set_public(ASKED, True)
        text = f"Fremen are about to move two territories, to {facts.name(self.to)}."
        return self.call(gate(play.table, KIND, NAME, text, to=self.to), then="over")

    def over(self, play: Play, outcome: Json) -> Next:
        """The mark of the power tells what came of it; movement looks again."""
        return self.done()


@react
class FremenOneTerritory(NexusReaction):
    """The power is off for the rest of the phase; other reasons to move further stay. [NEXUS-FRE-15]"""

    name: ClassVar[str] = "fremen_one_territory"
    kinds: ClassVar[tuple[str, ...]] = (f"nexus.{KIND}",)
    rule: ClassVar[str] = "NEXUS-FRE-15"
    label: ClassVar[str] = "Stop movements over two territories with your Nexus card"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "betrayal"
    when: ClassVar[str] = "when Fremen are about to move two territories"
    text: ClassVar[str] = "Fremen do not move two territories for the rest of this phase."

    def carry_out(self, play: Play, seat: Faction, subject: Subject, answer: Json) -> Flow | None:
        """As if it were cancelled for the phase."""
        play.set_public(cancelled_mark(RANGE), seat)
        return None
