"""Ways to ship that a Nexus card opens where its faction is not in play. [NEXUS-24, NEXUS-57]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.play import Play
from services.rules.modules.nexus.holding import held, play_card, possible_holders, why_not
from services.rules.phases.shipment_aids import WayOpening
from shared.dune.facts.nexus import nexus_card_of
from shared.dune.settings import Faction
from shared.dune.shapes import Off
from shared.dune.table import Table

__all__ = ["SecretAllyWays"]


class SecretAllyWays(WayOpening):
    """Base of the Secret Allies that ship. `native`: the faction on the card; `effect`, `text`: what is told."""

    native: ClassVar[Faction]
    effect: ClassVar[str]
    text: ClassVar[str]

    def possible(self, table: Table, seat: Faction) -> bool:
        """The faction is not in play, and the seat holds some card and has no ally. [NEXUS-57]"""
        return self.native not in table.seats and seat in possible_holders(table, self.native)

    def is_held(self, table: Table, seat: Faction) -> bool:
        """Its holder alone, where it is a secret ally. [NEXUS-24]"""
        return self.native not in table.seats and held(table, seat) == nexus_card_of(self.native)

    def off(self, table: Table, seat: Faction) -> Off | None:
        """Not with an ally. [NEXUS-26]"""
        return why_not(table, seat, self.native, "secret_ally")

    def spend(self, play: Play, seat: Faction) -> None:
        """With the declaration; a stop afterwards does not bring it back. [NEXUS-28]"""
        play_card(play, seat, self.native, self.effect, self.text)
