"""Betrayal: a Voice is stopped. [NEXUS-BG-43..NEXUS-BG-53]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.windows import react
from services.rules.factions.bene_gesserit import NAME
from services.rules.factions.bene_gesserit.voice import VOICE
from services.rules.modules.nexus.gates import NexusReaction
from services.rules.modules.nexus.holding import Mode
from shared.dune.settings import Faction


@react
class StopVoice(NexusReaction):
    """In the window on a Voice that was spoken, for whom and against whom ever. [NEXUS-BG-43, NEXUS-BG-44]"""

    name: ClassVar[str] = "stop_voice"
    kinds: ClassVar[tuple[str, ...]] = (f"cancel.{VOICE}",)
    rule: ClassVar[str] = "NEXUS-BG-43"
    label: ClassVar[str] = "Stop the Voice with your Nexus card"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "betrayal"
    text: ClassVar[str] = "the Voice is stopped."
    asks: ClassVar[str] = "nexus.bg.betrayal_window"
