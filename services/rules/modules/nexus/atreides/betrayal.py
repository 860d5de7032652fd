"""Betrayal: a question about a plan is stopped. [NEXUS-ATR-31..NEXUS-ATR-37]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow
from services.rules.engine.play import Play
from services.rules.engine.windows import Subject, react
from services.rules.factions.atreides import NAME
from services.rules.factions.atreides.prescience import PRESCIENCE
from services.rules.modules.nexus.gates import NexusReaction
from services.rules.modules.nexus.holding import Mode
from shared.dune.settings import Faction
from shared.dune.shapes import Json


@react
class StopPrescience(NexusReaction):
    """In the window on a use of Prescience, in a battle of Atreides or of its ally. [NEXUS-ATR-31, NEXUS-ATR-33]"""

    name: ClassVar[str] = "stop_prescience"
    kinds: ClassVar[tuple[str, ...]] = (f"cancel.{PRESCIENCE}",)
    rule: ClassVar[str] = "NEXUS-ATR-31"
    label: ClassVar[str] = "Stop the question with your Nexus card"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "betrayal"
    text: ClassVar[str] = "the question about the plan is stopped."
    asks: ClassVar[str] = "nexus.atr.betrayal_window"

    def carry_out(self, play: Play, seat: Faction, subject: Subject, answer: Json) -> Flow | None:
        """Whoever asked hears of it: no answer, and no other question by Prescience in this battle. [NEXUS-ATR-32]"""
        return None
