"""Cunning of the Guild card: once its turn of action is done the Guild ships a second time. [NEXUS-GUILD-01]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Flow, Next
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.modules.nexus.endings import NexusTurnEnding
from services.rules.modules.nexus.holding import Mode, play_card
from services.rules.phases.movement_offer import turn_ending
from services.rules.phases.shipment_flow import Shipping
from services.rules.phases.shipment_offer import can_ship
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off
from shared.dune.table import Table

NATIVE: Faction = "guild"
POWER = "nexus.guild.cunning"
"""Karama name: the second shipment as a whole, not what is used in it. [NEXUS-GUILD-05, NEXUS-GUILD-06]"""
TEXT = "after its shipment and movement it ships a second time."
WHY = "You may ship a second time. Its forces cannot move any more, unless Hajr lets them."


@turn_ending
class SecondShipmentByCard(NexusTurnEnding):
    """Declared as the movement is over, made or declined. [NEXUS-GUILD-01, NEXUS-GUILD-02, NEXUS-GUILD-22]"""

    name: ClassVar[str] = "nexus_second_shipment"
    rule: ClassVar[str] = "NEXUS-GUILD-01"
    label: ClassVar[str] = "End your movement and ship a second time, with your Nexus card"
    native: ClassVar[Faction] = NATIVE
    mode: ClassVar[Mode] = "cunning"

    def uses(self, table: Table, seat: Faction) -> Fields | Off:
        """If there is anything to ship; by ruling it is not made at all. [NEXUS-GUILD-07, NEXUS-GUILD-46]"""
        if ruling(table, "nexus.guild.betrayal_producers") == "preview_exclusions":
            return Off("By the rulings of this game a second shipment is not made.", "NEXUS-GUILD-46")
        if not can_ship(table, seat):
            return Off("You have no forces to ship.", "NEXUS-GUILD-07")
        return Fields({})

    def flow(self, table: Table, seat: Faction, answer: Json) -> Flow:
        """The same turn of action goes on with it. [NEXUS-GUILD-03]"""
        return SecondShipment(seat)


class SecondShipment(Flow, tag="nexus.guild.second_shipment", frozen=True, omit_defaults=True):
    """One more shipment in any form that the Guild has, at its price. [NEXUS-GUILD-04, NEXUS-GUILD-07]

    Result: whether the turn of action is over.
    """

    faction: Faction

    def start(self, play: Play) -> Next:
        """The card is spent, then the use may be cancelled. [NEXUS-GUILD-05]"""
        play_card(play, self.faction, NATIVE, "second_shipment", TEXT)
        text = f"{facts.name(self.faction)} is about to ship a second time, with its Nexus card."
        return self.call(cancel_window(POWER, self.faction, text), then="answered")

    def answered(self, play: Play, outcome: Json) -> Next:
        """Cancelled, the turn ends; else a whole shipment with its own answers. [NEXUS-GUILD-05, NEXUS-GUILD-10]"""
        if outcome is not None:
            return self.done(True)
        return self.call(Shipping(self.faction, why=WHY), then="shipped")

    def shipped(self, play: Play, result: Json) -> Next:
        """Movements that Hajr has won are left. [NEXUS-GUILD-12, NEXUS-GUILD-13, NEXUS-GUILD-14]"""
        return self.done(False)
