"""Betrayal: a question about a plan is stopped. [NEXUS-ATR-31..NEXUS-ATR-37]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.windows import react
from services.rules.factions.atreides import NAME
from services.rules.factions.atreides.prescience import PRESCIENCE
from services.rules.modules.nexus.gates import NexusReaction
from services.rules.modules.nexus.holding import Mode
from shared.dune.settings import Faction


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
