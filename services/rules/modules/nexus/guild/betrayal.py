"""Betrayal of the Guild card: its holder takes what is paid for one shipment. [NEXUS-GUILD-35]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.windows import react
from services.rules.modules.nexus.gates import NexusReaction, gate
from services.rules.modules.nexus.holding import Mode
from services.rules.phases.shipment_quotes import PaymentGoesTo
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Table

NATIVE: Faction = "guild"
KIND = "guild_payment"
TAKEN = "phase.shipping.taken"
"""Public mark: who takes all that is paid for the shipment now due. [NEXUS-GUILD-37]"""


@at("shipment.due", rule="NEXUS-GUILD-45")
def payment_is_due(table: Table, due: Json) -> Flow | None:
    """When native answers are in, and something is to be paid. [NEXUS-GUILD-44, NEXUS-GUILD-45, NEXUS-GUILD-46]"""
    if NATIVE not in table.seats or not due["price"]:
        return None
    return PaymentDue(due["faction"])


class PaymentDue(Flow, tag="nexus.guild.payment_due", frozen=True, omit_defaults=True):
    """All who could hold the card are asked, the shipper too; nothing is paid before. [NEXUS-GUILD-49]"""

    shipper: Faction

    def start(self, play: Play) -> Next:
        """What everybody may read names the shipper alone. [NEXUS-GUILD-52, NEXUS-GUILD-59]"""
        text = f"The shipment of {facts.name(self.shipper)} is about to be paid."
        return self.call(gate(play.table, KIND, NATIVE, text, shipper=self.shipper), then="answered")

    def answered(self, play: Play, outcome: Json) -> Next:
        """Settled once, with the receiver replaced or not. [NEXUS-GUILD-54, NEXUS-GUILD-55]"""
        if outcome is not None:
            play.set_public(TAKEN, outcome["by"])
        return self.done()


@react
class TakePayment(NexusReaction):
    """One whole payment, one's own too. [NEXUS-GUILD-35, NEXUS-GUILD-36, NEXUS-GUILD-53]"""

    name: ClassVar[str] = "nexus_take_payment"
    kinds: ClassVar[tuple[str, ...]] = (f"nexus.{KIND}",)
    rule: ClassVar[str] = "NEXUS-GUILD-35"
    label: ClassVar[str] = "Take this payment, with your Nexus card"
    native: ClassVar[Faction] = NATIVE
    mode: ClassVar[Mode] = "betrayal"
    text: ClassVar[str] = "it takes what is paid for this shipment."


@contributes(PaymentGoesTo, rule="NEXUS-GUILD-37", order=99)
def taken_by_card(paid: PaymentGoesTo, table: Table) -> PaymentGoesTo:
    """Whoever would be paid, and whoever pays: what one pays oneself one keeps. [NEXUS-GUILD-39, NEXUS-GUILD-43]"""
    taker = table.value(TAKEN)
    if not taker:
        return paid
    return paid.step(1, "Taken with a Nexus card", "NEXUS-GUILD-37", receiver=str(taker), power="")
