"""Secret Ally b of the Emperor card: three more forces revived free. [NEXUS-EMP-14..NEXUS-EMP-17]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Frame
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.modules.nexus.plays import nexus_play
from services.rules.modules.nexus.revivals import REASON, SecretAllyRevival
from services.rules.phases.revival import revive_forces
from services.rules.phases.revival_quotes import revivable_kinds
from shared.dune.settings import Faction
from shared.dune.shapes import Amounts, Fields, Json, Off
from shared.dune.table import Table

NUMBER = 3


@nexus_play
class EmperorRevival(SecretAllyRevival):
    """Beyond the limits and the free number. [NEXUS-EMP-14, NEXUS-EMP-15]"""

    name: ClassVar[str] = "emperor_revival"
    native: ClassVar[Faction] = "emperor"
    rule: ClassVar[str] = "NEXUS-EMP-14"
    label: ClassVar[str] = "Revive three more forces free"
    text: ClassVar[str] = "revives three more forces free."

    def revivals(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """Exactly three, or by ruling up to three. [NEXUS-EMP-14, NEXUS-EMP-16]"""
        kinds = revivable_kinds(table, seat)
        short = ruling(table, "nexus.emperor.revival_short") == "up_to_three"
        most = min(NUMBER, sum(kinds.values()))
        if most < (1 if short else NUMBER):
            return Off(f"You have fewer than {NUMBER} forces to revive.", "NEXUS-EMP-16")
        return Fields({"forces": Amounts(kinds, 1 if short else NUMBER, most)}, labels={"forces": "Forces"})

    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow | None:
        """Free, and apart from the ordinary revival."""
        revive_forces(play, seat, answer["forces"], REASON)
        return None
