"""What shipping asks of factions, cards and modules: ways to ship, prices, payees, where forces may land."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from services.rules.engine.hooks import Quote, quote
from services.rules.phases.places import may_enter_stronghold
from services.rules.phases.promises import promised
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.table import BANK, RESERVES, Table

__all__ = [
    "Landing",
    "PaymentGoesTo",
    "ShipmentRate",
    "ShippingWays",
    "UnitPrice",
    "Way",
    "funds",
    "landing",
    "payment_goes_to",
    "rate_of",
    "unit_price",
    "way_of",
    "ways_of",
]


class Way(Struct, frozen=True):
    """One way to ship. `power` is the Karama name of the way itself; `word` what the log calls it.

    `off_planet` decides who may answer it [SHIP-16]; `unit` is a price for each force other than the usual one.
    """

    name: str
    label: str
    rule: str
    word: str
    from_reserves: bool = False
    from_board: bool = False
    to_reserves: bool = False
    off_planet: bool = False
    is_free: bool = False
    unit: int = 0
    power: str = ""


SHIP = Way("ship", "Ship from your reserves", "SHIP-04", "shipment", from_reserves=True, off_planet=True)
"""The shipment that everybody has unless its sheet says otherwise. [SHIP-04]"""


class ShippingWays(Quote, frozen=True, kw_only=True):
    """The ways in which a faction may ship; its value is their number. [SHIP-04, GUILD-05, FRE-03]"""

    faction: Faction
    ways: tuple[Way, ...] = ()

    def having(self, ways: tuple[Way, ...], text: str, rule: str) -> ShippingWays:
        """The quote with other ways, and the reason."""
        return self.step(len(ways), text, rule, ways=ways)


class UnitPrice(Quote, frozen=True, kw_only=True):
    """Spice for each force shipped into a territory (or `reserves`), before any half rate. [SHIP-05]"""

    faction: Faction
    way: str
    territory: str


class ShipmentRate(Quote, frozen=True, kw_only=True):
    """By what the full price is divided, 1 or 2, and the Karama name of the power behind it. [SHIP-06]

    A shipment is halved once, so a contribution leaves a quote alone that is halved already. [GUILD-20]
    """

    faction: Faction
    way: Way
    power: str = ""

    def halved(self, text: str, rule: str, power: str = "") -> ShipmentRate:
        """Half rate; unchanged if it is halved already."""
        return self if self.value > 1 else self.step(2, text, rule, power=power)


class PaymentGoesTo(Quote, frozen=True, kw_only=True):
    """Who receives what `payer` pays for a shipment of `shipper`, and the Karama name of that power. [SHIP-07]"""

    shipper: Faction
    payer: Faction
    way: Way
    receiver: str = BANK
    power: str = ""


class Landing(Quote, frozen=True, kw_only=True):
    """Whether a shipment may go to a location: value 1, or 0 with its reason and rule. [SHIP-11, SHIP-12]"""

    faction: Faction
    way: Way
    place: str
    value: int = 1
    off: str = ""
    rule: str = ""

    def barred(self, text: str, rule: str) -> Landing:
        """The same place, closed."""
        return msgspec.structs.replace(self, value=0, off=text, rule=rule)


def ways_of(table: Table, faction: Faction) -> tuple[Way, ...]:
    """All ways in which a faction may ship now."""
    return quote(table, ShippingWays(faction=faction, value=1, ways=(SHIP,))).ways


def way_of(table: Table, faction: Faction, name: str) -> Way | None:
    """One way by its name; None if the faction has it not (any more)."""
    return next((way for way in ways_of(table, faction) if way.name == name), None)


def unit_price(table: Table, faction: Faction, way: Way, territory: str) -> int:
    """Spice for each force before any half rate: 1 into a stronghold, 2 elsewhere. [SHIP-05]"""
    if way.is_free:
        return 0
    usual = way.unit or (1 if facts.territory(territory).is_stronghold else 2)
    return quote(table, UnitPrice(faction=faction, way=way.name, territory=territory, value=usual)).value


def rate_of(table: Table, faction: Faction, way: Way) -> ShipmentRate:
    """By what the price of a shipment is divided, and why. [SHIP-06]"""
    return quote(table, ShipmentRate(faction=faction, way=way, value=1))


def payment_goes_to(table: Table, shipper: Faction, payer: Faction, way: Way) -> PaymentGoesTo:
    """Who is paid. [SHIP-07, SHIP-09]"""
    return quote(table, PaymentGoesTo(shipper=shipper, payer=payer, way=way))


def landing(table: Table, faction: Faction, way: Way, place: str) -> Landing:
    """Whether forces may land at a location. [SHIP-11, SHIP-12, STORM-22]"""
    base = Landing(faction=faction, way=way, place=place)
    if table.in_storm(place):
        base = base.barred("The storm is there.", "SHIP-11")
    elif not may_enter_stronghold(table, faction, place.partition(":")[0]):
        base = base.barred("Two other players hold this stronghold.", "SHIP-12")
    return quote(table, base)


def funds(table: Table, faction: Faction) -> tuple[int, int]:
    """The spice that a faction can pay for a shipment: its own, and what its ally promised. [SHIP-08, SHIP-18]"""
    ally = table.ally_of(faction)
    return table.spice_of(faction), promised(table, ally, "shipments") if ally else 0


def target_group(place: str) -> str:
    """The territory of a target, or `reserves`."""
    return RESERVES if place == RESERVES else place.partition(":")[0]
