"""The Guild ships: half price, cross-ships, returns, and what others pay. [GUILD-03..GUILD-10, GUILD-17..GUILD-21]"""

from __future__ import annotations

from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.factions.guild import NAME
from services.rules.phases.permissions import lend, permits
from services.rules.phases.shipment_flow import TERMS
from services.rules.phases.shipment_quotes import PaymentGoesTo, ShipmentRate, ShippingWays, Way
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Table

PLANET = "guild.planet_shipping"
"""Karama name: one cross-ship or return, its own or its ally's. [GUILD-30]"""
RATE = "guild.rate"
"""Karama name: half price of one own shipment. [GUILD-28]"""
ALLY_RATE = "guild.ally_rate"
"""Karama name, and the permission: half price of one shipment of the ally. [GUILD-21, GUILD-29]"""
PAYMENT = "guild.payment"
"""Karama name: the payment for one shipment. [GUILD-27]"""

LENT = f"{TERMS}guild"
"""Mark of the two allies: whether the Guild lends its rate to the shipment now declared."""

CROSS_SHIP = Way(
    "cross_ship",
    "Ship from one territory to another",
    "GUILD-05",
    "cross-ship",
    from_board=True,
    power=PLANET,
)
RETURN = Way(
    "return",
    "Ship from the board to your reserves",
    "GUILD-05",
    "return",
    from_board=True,
    to_reserves=True,
    unit=1,
    power=PLANET,
)

lend(__name__, NAME, ALLY_RATE, "Shipping at Guild rates, cross-ships too", "GUILD-21")


def lends_rate(table: Table, faction: Faction) -> bool:
    """Whether a faction is the Guild's ally and the Guild does not withhold its rate. [GUILD-17, GUILD-21]

    What held when a shipment was declared holds until it is over. [WINPOL-22]
    """
    if not table.are_allied(NAME, faction):
        return False
    return bool(table.value(LENT, permits(table, NAME, ALLY_RATE)))


@at("shipment.declared", rule="WINPOL-22")
def keep_terms(table: Table, subject: Json) -> Flow | None:
    """The ally declares a shipment: on which terms is fixed now."""
    return KeepTerms() if table.are_allied(NAME, str(subject)) else None


class KeepTerms(Flow, tag="guild.terms", frozen=True, omit_defaults=True):
    """Remember whether the rate was lent. [GUILD-21, WINPOL-22]"""

    def start(self, play: Play) -> Next:
        """A mark of this shipment."""
        play.set_secret(LENT, permits(play.table, NAME, ALLY_RATE), NAME, str(play.table.ally_of(NAME)))
        return self.done()


@contributes(ShippingWays, rule="GUILD-05", order=30, cancel=PLANET)
def own_ways(shipping: ShippingWays, table: Table) -> ShippingWays:
    """Besides shipping from reserves: territory to territory, or territory to reserves. [GUILD-05, SHIP-13]"""
    if shipping.faction != NAME:
        return shipping
    ways = (*shipping.ways, CROSS_SHIP, RETURN)
    return shipping.having(ways, "The Guild ships anywhere", "GUILD-05")


@contributes(ShippingWays, rule="GUILD-18", order=30, cancel=PLANET)
def ally_ways(shipping: ShippingWays, table: Table) -> ShippingWays:
    """The ally may cross-ship, but not ship to reserves. [GUILD-18]"""
    if not lends_rate(table, shipping.faction):
        return shipping
    return shipping.having((*shipping.ways, CROSS_SHIP), "The Guild's ally may cross-ship", "GUILD-18")


@contributes(ShipmentRate, rule="GUILD-06", order=30, cancel=RATE)
def own_rate(rate: ShipmentRate, table: Table) -> ShipmentRate:
    """Half of every price; a return costs 1 spice for 2 forces. [GUILD-06, GUILD-07, GUILD-08]"""
    return rate.halved("The Guild ships at half price", "GUILD-06", RATE) if rate.faction == NAME else rate


@contributes(ShipmentRate, rule="GUILD-17", order=30, cancel=ALLY_RATE)
def ally_rate(rate: ShipmentRate, table: Table) -> ShipmentRate:
    """The ally ships from reserves and cross-ships at half price. [GUILD-17, GUILD-18]"""
    if not lends_rate(table, rate.faction):
        return rate
    return rate.halved("The Guild's ally ships at half price", "GUILD-17", ALLY_RATE)


@contributes(PaymentGoesTo, rule="GUILD-03", order=30, cancel=PAYMENT)
def guild_is_paid(paid: PaymentGoesTo, table: Table) -> PaymentGoesTo:
    """Others pay the Guild, a shipper's ally too; its own spice goes to the bank. [GUILD-03, GUILD-04, GUILD-19]

    Two rulings: an ally's help with the Guild's own shipment, the Guild's help with its ally's. [SHIP-07, SHIP-09]
    """
    if NAME not in table.seats:
        return paid
    if paid.shipper == NAME:
        helped = paid.payer != NAME and ruling(table, "ally_pays_guild_shipment") == "to_guild"
        return _to_guild(paid) if helped else paid
    if paid.payer == NAME and ruling(table, "own_contribution_returns") == "to_bank":
        return paid
    return _to_guild(paid)


def _to_guild(paid: PaymentGoesTo) -> PaymentGoesTo:
    return paid.step(1, "The Guild is paid for the shipment", "GUILD-03", receiver=NAME, power=PAYMENT)
