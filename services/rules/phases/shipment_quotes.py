"""What shipping asks of factions, cards and modules: ways to ship, prices, payees, where forces may land."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

import msgspec
from msgspec import Struct

from services.rules.engine.hooks import Quote, quote
from services.rules.phases.places import may_enter_stronghold
from services.rules.phases.promises import promised
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.table import BANK, RESERVES, Table

__all__ = [
    "ArrivalLosses",
    "Landings",
    "NeededPowers",
    "PaymentGoesTo",
    "ShipmentRate",
    "ShippingWays",
    "UnitPrices",
    "Way",
    "arrival_losses",
    "funds",
    "landings",
    "needed_powers",
    "payment_goes_to",
    "rate_of",
    "target_group",
    "unit_prices",
    "way_of",
    "ways_of",
]


class Way(Struct, frozen=True):
    """One way to ship. `power` is the Karama name of the way itself; `word` what the log calls it.

    `off_planet` decides who may answer it [SHIP-16]; `unit` is a price for each force other than the usual one; `rate`
    divides the price by itself. `most`: no more forces go (0: any number); `as_one`: all are charged as one.
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
    rate: int = 1
    most: int = 0
    as_one: bool = False

    def charged(self, number: int) -> int:
        """For how many of so many forces the price is due."""
        return min(number, 1) if self.as_one else number


SHIP = Way("ship", "Ship from your reserves", "SHIP-04", "shipment", from_reserves=True, off_planet=True)
"""The shipment that everybody has unless its sheet says otherwise. [SHIP-04]"""


class ShippingWays(Quote, frozen=True, kw_only=True):
    """The ways in which a faction may ship; its value is their number. [SHIP-04, GUILD-05, FRE-03]"""

    faction: Faction
    ways: tuple[Way, ...] = ()

    def having(self, ways: tuple[Way, ...], text: str, rule: str) -> ShippingWays:
        """The quote with other ways, and the reason."""
        return self.step(len(ways), text, rule, ways=ways)


class UnitPrices(Quote, frozen=True, kw_only=True):
    """Spice for each force shipped into each territory (or `reserves`), before any half rate. [SHIP-05]"""

    faction: Faction
    way: str
    each: Mapping[str, int]


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


class Landings(Quote, frozen=True, kw_only=True):
    """The locations where a shipment may not go, each with its reason and rule. [SHIP-11, SHIP-12]"""

    faction: Faction
    way: Way
    closed: Mapping[str, tuple[str, str]]

    def barred(self, places: Iterable[str], text: str, rule: str) -> Landings:
        """The same with further locations closed; the later reason is the one that is told."""
        return msgspec.structs.replace(self, closed={**self.closed, **dict.fromkeys(places, (text, rule))})

    def opened(self, places: Iterable[str]) -> Landings:
        """The same with these locations open."""
        free = frozenset(places)
        return msgspec.structs.replace(
            self, closed={place: why for place, why in self.closed.items() if place not in free}
        )


class NeededPowers(Quote, frozen=True, kw_only=True):
    """The Karama names of powers without which a shipment could not go to its target, with what each is. [FRE-44]"""

    faction: Faction
    way: Way
    to: str
    powers: Mapping[str, str] = {}


class ArrivalLosses(Quote, frozen=True, kw_only=True):
    """How many forces of a group of `number` are lost as it lands: none, unless a rule says so. [FRE-27]"""

    faction: Faction
    way: Way
    to: str
    number: int


def ways_of(table: Table, faction: Faction) -> tuple[Way, ...]:
    """All ways in which a faction may ship now."""
    return quote(table, ShippingWays(faction=faction, value=1, ways=(SHIP,))).ways


def way_of(table: Table, faction: Faction, name: str) -> Way | None:
    """One way by its name; None if the faction has it not (any more)."""
    return next((way for way in ways_of(table, faction) if way.name == name), None)


def unit_prices(table: Table, faction: Faction, way: Way) -> Mapping[str, int]:
    """Spice for each force before any half rate: 1 into a stronghold, 2 elsewhere. [SHIP-05]"""
    usual = _usual_prices(way.unit, way.is_free)
    return quote(table, UnitPrices(faction=faction, way=way.name, each=usual)).each


@cache
def _usual_prices(unit: int, is_free: bool) -> Mapping[str, int]:
    """By territory, what a way that is free, or has a price of its own, or neither costs. Only these go to reserves."""
    if is_free or unit:
        return dict.fromkeys((*facts.territories(), RESERVES), unit)
    return {name: 1 if found.is_stronghold else 2 for name, found in facts.territories().items()}


def rate_of(table: Table, faction: Faction, way: Way) -> ShipmentRate:
    """By what the price of a shipment is divided, and why. [SHIP-06]"""
    return quote(table, ShipmentRate(faction=faction, way=way, value=way.rate))


def payment_goes_to(table: Table, shipper: Faction, payer: Faction, way: Way) -> PaymentGoesTo:
    """Who is paid. [SHIP-07, SHIP-09]"""
    return quote(table, PaymentGoesTo(shipper=shipper, payer=payer, way=way))


def landings(table: Table, faction: Faction, way: Way) -> Mapping[str, tuple[str, str]]:
    """Where forces may not land, with reason and rule. [SHIP-11, SHIP-12, STORM-22]"""
    base = Landings(faction=faction, way=way, closed={})
    for territory in facts.strongholds():
        if not may_enter_stronghold(table, faction, territory):
            places = facts.locations_of(territory)
            base = base.barred(places, "Two other players hold this stronghold.", "SHIP-12")
    base = base.barred(facts.locations_in(table.storm), "The storm is there.", "SHIP-11")
    return quote(table, base).closed


def needed_powers(table: Table, faction: Faction, way: Way, to: str) -> Mapping[str, str]:
    """The powers by which alone a shipment can go where it goes. [FRE-44]"""
    return quote(table, NeededPowers(faction=faction, way=way, to=to)).powers


def arrival_losses(table: Table, faction: Faction, way: Way, to: str, number: int) -> int:
    """How many of a group are lost as it lands. [FRE-27]"""
    return quote(table, ArrivalLosses(faction=faction, way=way, to=to, number=number)).value


def funds(table: Table, faction: Faction) -> tuple[int, int]:
    """The spice that a faction can pay for a shipment: its own, and what its ally promised. [SHIP-08, SHIP-18]"""
    ally = table.ally_of(faction)
    return table.spice_of(faction), promised(table, ally, "shipments") if ally else 0


def target_group(place: str) -> str:
    """The territory of a target, or `reserves`."""
    return RESERVES if place == RESERVES else place.partition(":")[0]
