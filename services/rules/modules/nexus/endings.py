"""What a Nexus card lets its holder do once its turn of action is over. [NEXUS-58, NEXUS-GUILD-02]"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from services.rules.modules.nexus.holding import Mode, held, mode_of, why_not
from services.rules.phases.movement_offer import TurnEnding
from shared.dune.facts.nexus import nexus_card_of
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Off
from shared.dune.table import Table

__all__ = ["NexusTurnEnding"]


class NexusTurnEnding(TurnEnding):
    """Base of them. `native`: the faction on the card; `mode`: the panel."""

    native: ClassVar[Faction]
    mode: ClassVar[Mode]

    def fields(self, table: Table, seat: Faction) -> Fields | Off | None:
        """Its holder alone hears of it. [NEXUS-58]"""
        if held(table, seat) != nexus_card_of(self.native) or mode_of(table, seat, self.native) != self.mode:
            return None
        return why_not(table, seat, self.native, self.mode) or self.uses(table, seat)

    @abstractmethod
    def uses(self, table: Table, seat: Faction) -> Fields | Off:
        """What the holder may answer, or why it cannot be used now."""
