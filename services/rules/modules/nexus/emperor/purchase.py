"""The Emperor card at a sale: the price is kept, or the Emperor pays for its ally. [NEXUS-EMP-10, NEXUS-EMP-20]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow
from services.rules.engine.hooks import contributes, quote
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.watching import watches
from services.rules.engine.windows import Subject, react
from services.rules.factions.emperor import NAME
from services.rules.modules.nexus.gates import NexusReaction, gate
from services.rules.modules.nexus.holding import Mode
from services.rules.phases.bidding_quotes import CardPayment, CardShares
from shared.dune import facts
from shared.dune.events.bidding import CardBought, escrow_of
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off
from shared.dune.table import BANK, Table

KEEP, FORCED = "price_kept", "forced_payment"
KEPT = "phase.nexus_price_kept"
"""Public mark: the buyer keeps the spice of the card now sold. [NEXUS-EMP-10]"""
PAYS = "phase.nexus_forced_payment"
"""Public mark: the Emperor has to pay for the card now sold to its ally. [NEXUS-EMP-20]"""


@at("auction.won", rule="NEXUS-EMP-12")
def confirm_the_price(table: Table, sale: Json) -> Flow | None:
    """Every winner of a lot that the bank is paid for, however it has settled.

    [NEXUS-EMP-11, NEXUS-EMP-12, NEXUS-EMP-13]
    """
    receiver = quote(table, CardPayment(buyer=sale["buyer"], value=sale["amount"])).receiver
    if NAME in table.seats or not _asks(table) or receiver != BANK:
        return None
    text = f"{facts.name(sale['buyer'])} has won the card and settles it now."
    return gate(table, KEEP, NAME, text, seats=(sale["buyer"],), buyer=sale["buyer"], amount=sale["amount"])


def _asks(table: Table) -> bool:
    return ruling(table, "nexus.emperor.purchase_prompt") == "every_winner"


@react
class EmperorKeepsPrice(NexusReaction):
    """The price is shown, and not spent. [NEXUS-EMP-10, NEXUS-EMP-11]"""

    name: ClassVar[str] = "emperor_price_kept"
    kinds: ClassVar[tuple[str, ...]] = (f"nexus.{KEEP}",)
    rule: ClassVar[str] = "NEXUS-EMP-10"
    label: ClassVar[str] = "Keep the spice of this card with your Nexus card"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "secret_ally"
    when: ClassVar[str] = "right after you have won a card"
    text: ClassVar[str] = "shows the price of the card, and keeps it."

    def told(self, table: Table) -> Off:
        """By ruling nobody is asked. [NEXUS-EMP-12]"""
        return (
            super().told(table) if _asks(table) else Off("Not by the rulings of this game.", "NEXUS-EMP-12")
        )

    def uses(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """The whole price must be its own. [NEXUS-EMP-10]"""
        price, own = int(subject.about["amount"]), table.spice_of(seat) + table.spice_of(escrow_of(seat))
        if own < price:
            return Off(f"The card costs {price} spice; you have {own} of your own.", "NEXUS-EMP-10")
        return Fields({})

    def carry_out(self, play: Play, seat: Faction, subject: Subject, answer: Json) -> Flow | None:
        """Nothing is due for this card."""
        play.set_public(KEPT, seat)
        return None


@at("auction.paying", rule="NEXUS-EMP-21")
def before_the_ally_pays(table: Table, sale: Json) -> Flow | None:
    """The Emperor's ally is about to pay spice: all who could hold the card. [NEXUS-EMP-20, NEXUS-EMP-21]"""
    if NAME not in table.seats or table.ally_of(NAME) != sale["buyer"]:
        return None
    text = f"{facts.name(sale['buyer'])} is about to pay for a card."
    return gate(table, FORCED, NAME, text, buyer=sale["buyer"])


@react
class EmperorPays(NexusReaction):
    """The Emperor pays for its ally. [NEXUS-EMP-20]"""

    name: ClassVar[str] = "emperor_forced_payment"
    kinds: ClassVar[tuple[str, ...]] = (f"nexus.{FORCED}",)
    rule: ClassVar[str] = "NEXUS-EMP-20"
    label: ClassVar[str] = "Make the Emperor pay with your Nexus card"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "betrayal"
    when: ClassVar[str] = "when the Emperor's ally is about to pay for a card"
    text: ClassVar[str] = "the Emperor has to pay for the card of its ally."

    def carry_out(self, play: Play, seat: Faction, subject: Subject, answer: Json) -> Flow | None:
        """For this card. What the ally cannot pay itself was sealed of the Emperor's spice. [NEXUS-EMP-20]"""
        play.set_public(PAYS, str(subject.about["buyer"]))
        return None


@contributes(CardShares, rule="NEXUS-EMP-10")
def keeps_the_price(shares: CardShares, table: Table) -> CardShares:
    """Nothing is due. [NEXUS-EMP-10, NEXUS-EMP-11]"""
    if table.value(KEPT, "") != shares.buyer:
        return shares
    return shares.step(0, "The price is kept with a Nexus card", "NEXUS-EMP-10", own=0, ally="", ally_part=0)


@contributes(CardShares, rule="NEXUS-EMP-20")
def emperor_pays(shares: CardShares, table: Table) -> CardShares:
    """As far as its spice goes, or by ruling what the ally lacks, or only the bank is paid. [NEXUS-EMP-20]"""
    if table.value(PAYS, "") != shares.buyer:
        return shares
    reading, price = ruling(table, "nexus.emperor.forced_payment"), shares.value
    text = "The Emperor pays by a Nexus card"
    if reading == "block_emperor_receipt":
        return shares.step(price, text, "NEXUS-EMP-20", to_owner=False)
    funds = table.spice_of(NAME) + table.spice_of(escrow_of(NAME))
    part = min(price, funds)
    if reading == "shortfall_only":
        own = table.spice_of(shares.buyer) + table.spice_of(escrow_of(shares.buyer))
        part = max(0, price - own)
    return shares.step(price, text, "NEXUS-EMP-20", own=price - part, ally=NAME, ally_part=part)


@watches(CardBought, rule="NEXUS-EMP-20")
def sold(play: Play, bought: CardBought) -> None:
    """What was played for one card holds for no other. [NEXUS-EMP-11, NEXUS-EMP-20]"""
    for name in (KEPT, PAYS):
        if play.table.is_set(name):
            play.clear(name)
