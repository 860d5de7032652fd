"""Karama and shipments: half the price, and cancelling a power that a declared shipment uses. [KARAMA-14..KARAMA-17]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.cards.karama import KARAMA, spend
from services.rules.engine.cancel import cancelled_mark
from services.rules.engine.flow import Flow
from services.rules.engine.hooks import contributes
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.windows import Reaction, Subject, react
from services.rules.phases.hands import cards_of, may_hold
from services.rules.phases.shipment_flow import CANCEL, HALF, LIFTED, WINDOW
from services.rules.phases.shipment_offer import ShippingAid, shipping_aid
from services.rules.phases.shipment_quotes import PaymentGoesTo, ShipmentRate, Way
from shared.dune import facts
from shared.dune.events.cards import PowerCancelled
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, OneOf, Option
from shared.dune.table import BANK, Table

NO_CARD = "You hold no Karama."


@contributes(ShipmentRate, rule="KARAMA-14", order=90)
def karama_halves(rate: ShipmentRate, table: Table) -> ShipmentRate:
    """A shipment from reserves at half price; a price halved already is not halved again. [GUILD-20, KARAMA-16]"""
    if table.is_set(HALF) and rate.way.off_planet:
        return rate.halved("Karama halves the price", "KARAMA-14")
    return rate


@contributes(PaymentGoesTo, rule="KARAMA-14", order=90)
def karama_pays_the_bank(paid: PaymentGoesTo, table: Table) -> PaymentGoesTo:
    """The price halved by Karama goes to the bank; the shipper pays it. [SHIP-17, KARAMA-17]"""
    if table.is_set(HALF) and paid.way.off_planet:
        return paid.step(0, "Paid to the bank, because of Karama", "KARAMA-14", receiver=BANK, power="")
    return paid


@shipping_aid
class OwnKarama(ShippingAid):
    """The shipper's own Karama is part of its declaration. [REACT-43]"""

    name: ClassVar[str] = "karama"
    rule: ClassVar[str] = "KARAMA-15"
    label: ClassVar[str] = "at half price with your Karama"

    def fits(self, way: Way) -> bool:
        """Only shipments from reserves that cost something. [KARAMA-14, KARAMA-16]"""
        return way.off_planet

    def off(self, table: Table, seat: Faction) -> Off | None:
        """Only a holder can."""
        return None if cards_of(table, seat, KARAMA) else Off(NO_CARD, "KARAMA-01")

    def use(self, play: Play, seat: Faction) -> None:
        """The card is spent with the declaration."""
        spend(play, seat, "halves the price of a shipment")
        play.set_public(HALF, seat)


@react
class HalveByKarama(Reaction):
    """Anybody else may halve a declared shipment; its shipper pays. [KARAMA-15, KARAMA-17, REACT-41]"""

    name: ClassVar[str] = "karama_half"
    kinds: ClassVar[tuple[str, ...]] = (WINDOW,)
    rule: ClassVar[str] = "KARAMA-15"
    label: ClassVar[str] = "Halve its price with Karama; it is paid to the bank"

    def possible(self, table: Table, seat: Faction, kind: str, subject: Subject) -> bool:
        """Every seat but the shipper, for a shipment at full price."""
        full = bool(subject.about.get("full_price"))
        return full and seat != subject.owner and may_hold(table, seat, KARAMA)

    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Only a holder can."""
        return Fields({}) if cards_of(table, seat, KARAMA) else Off(NO_CARD, self.rule)

    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The card is spent; the shipment's rate is halved."""
        spend(play, seat, "halves the price of a shipment")
        play.set_public(HALF, seat)
        return None


@react
class CancelInShipment(Reaction):
    """Cancel one of the powers that a declared shipment uses. [GUILD-27..GUILD-30, REACT-41, REACT-42]"""

    name: ClassVar[str] = "karama_cancel"
    kinds: ClassVar[tuple[str, ...]] = (WINDOW,)
    rule: ClassVar[str] = "KARAMA-01"
    label: ClassVar[str] = "Cancel a power in it with Karama"

    def possible(self, table: Table, seat: Faction, kind: str, subject: Subject) -> bool:
        """Every seat but the power's owner, the shipper and an ally too. [WINPOL-12]"""
        return bool(_powers(seat, subject)) and may_hold(table, seat, KARAMA)

    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Which power; only for a holder."""
        if not cards_of(table, seat, KARAMA):
            return Off(NO_CARD, self.rule)
        options = tuple(Option(power, text) for power, text in _powers(seat, subject).items())
        return Fields({"power": OneOf(options)}, labels={"power": "Power"})

    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The power is off for this shipment, or for the phase if the ruling says so. [KARAMA-02, RULING-01]"""
        power = answer["power"]
        spend(play, seat, f"cancels a power of {facts.name(_owner(power))}")
        play.emit(PowerCancelled(power, _owner(power), seat, f"{_powers(seat, subject)[power]}."))
        play.set_public(cancelled_mark(power), seat)
        if ruling(play.table, "karama_scope") == "one_use":
            play.set_public(LIFTED, (*play.table.names(LIFTED), power))
        return None


def _owner(power: str) -> Faction:
    return power.partition(".")[0]


def _powers(seat: Faction, subject: Subject) -> dict[str, str]:
    """The powers in a declared shipment that a seat may cancel, with their texts. [KARAMA-05]"""
    named = {k.removeprefix(CANCEL): str(text) for k, text in subject.about.items() if k.startswith(CANCEL)}
    return {power: named[power] for power in sorted(named) if _owner(power) != seat}
