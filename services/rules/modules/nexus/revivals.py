"""What the cards that revive have in common, and who is asked in the phase because of them. [NEXUS-57, NEXUS-60]"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from services.rules.engine.flow import Frame
from services.rules.engine.hooks import contributes
from services.rules.modules.nexus.holding import Mode, possible_holders
from services.rules.modules.nexus.plays import NexusPlay
from services.rules.phases.revival import revival_is_open
from services.rules.phases.revival_cycle import dead_leaders
from services.rules.phases.revival_offer import AskedToRevive
from services.rules.phases.revival_quotes import revivable_kinds
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Off
from shared.dune.table import Table

REVIVING = ("emperor", "fremen", "tleilaxu")
"""The cards whose Secret Ally revives."""

REASON = "a Nexus card"
"""Why forces and leaders return, for the log."""


class SecretAllyRevival(NexusPlay):
    """Base of the Secret Allies that revive, while ordinary revivals are awaited. [NEXUS-EMP-15, NEXUS-TLX-11]"""

    mode: ClassVar[Mode] = "secret_ally"

    def fields(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """In no other phase."""
        if not revival_is_open(stack):
            return Off("Only in the Revival Phase.", self.rule)
        return self.revivals(table, seat, stack)

    @abstractmethod
    def revivals(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """What may be revived, or why nothing may be."""


@contributes(AskedToRevive, rule="NEXUS-57")
def could_revive_by_a_card(asked: AskedToRevive, table: Table) -> AskedToRevive:
    """By public facts alone: unallied, with some card, and with something in the tanks. [NEXUS-57]"""
    faction = asked.faction
    possible = any(
        native not in table.seats and faction in possible_holders(table, native) for native in REVIVING
    )
    if not possible or not (revivable_kinds(table, faction) or dead_leaders(table, faction)):
        return asked
    return asked.step(1, "A Nexus card could revive something", "NEXUS-57")
