"""Karama and shipments: half the price, and cancelling a power that a declared shipment uses. [KARAMA-14..KARAMA-17]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.cancel import cancelled_mark
from services.rules.engine.flow import Flow
from services.rules.engine.hooks import contributes
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.windows import Reaction, Subject, react
from services.rules.phases.karama import (
    NO_KARAMA,
    karama_cards,
    karama_fields,
    karama_shapes,
    may_hold_karama,
    paid_with,
    pay_karama,
)
from services.rules.phases.shipment_aids import ShippingAid, shipping_aid
from services.rules.phases.shipment_flow import CANCEL, HALF, LIFTED, WINDOW
from services.rules.phases.shipment_quotes import PaymentGoesTo, ShipmentRate, Way
from shared.dune import facts
from shared.dune.events.cards import PowerCancelled
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, OneOf, Option, Shape
from shared.dune.table import BANK, Table

HALVES = "halves the price of a shipment"


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
        return None if karama_cards(table, seat) else NO_KARAMA

    def shapes(self, table: Table, seat: Faction) -> dict[str, Shape]:
        """Which card, where different ones serve. [BG-41]"""
        return karama_shapes(table, seat)

    def pay(self, play: Play, seat: Faction, answer: Json) -> Flow | None:
        """The card is spent with the declaration."""
        return pay_karama(play, seat, paid_with(play.table, seat, answer), HALVES)

    def use(self, play: Play, seat: Faction) -> None:
        """The shipment's rate is halved."""
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
        return full and seat != subject.owner and may_hold_karama(table, seat)

    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Only a holder can."""
        found = karama_fields(table, seat)
        return Off(found.off, self.rule) if isinstance(found, Off) else found

    def pay(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The card is spent."""
        return pay_karama(play, seat, paid_with(play.table, seat, answer), HALVES)

    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The shipment's rate is halved."""
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
        return bool(_powers(seat, subject)) and may_hold_karama(table, seat)

    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Which power; only for a holder."""
        found = karama_fields(table, seat)
        if isinstance(found, Off):
            return Off(found.off, self.rule)
        powers: Shape = OneOf(tuple(Option(power, text) for power, text in _powers(seat, subject).items()))
        return Fields({"power": powers, **found.fields}, labels={"power": "Power", **found.labels})

    def pay(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The card is spent."""
        reason = f"cancels a power of {facts.name(_owner(answer['power']))}"
        return pay_karama(play, seat, paid_with(play.table, seat, answer), reason)

    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The power is off for this shipment, or for the phase if the ruling says so. [KARAMA-02, RULING-01]"""
        power = answer["power"]
        play.emit(PowerCancelled(power, _owner(power), seat, f"{_powers(seat, subject)[power]}."))
        play.set_public(cancelled_mark(power), seat)
        if ruling(play.table, "karama_scope") == "one_use":
            play.set_public(LIFTED, (*play.table.names(LIFTED), power))
        return None


def _owner(power: str) -> Faction:
    return power.partition(".")[0]


def _powers(seat: Faction, subject: Subject) -> dict[str, str]:
    """The powers in a declared shipment that a seat may cancel, with their texts. [KARAMA-05]"""
    return {power: text for power, text in subject.named(CANCEL).items() if _owner(power) != seat}
