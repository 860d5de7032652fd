"""Fremen bring reserves from the far side of Dune, and ship as the Guild's ally. [FRE-03..FRE-06]"""

from __future__ import annotations

from functools import cache

import msgspec

from services.rules.engine.hooks import contributes
from services.rules.engine.rulings import ruling
from services.rules.factions.fremen import NAME
from services.rules.phases.shipment_quotes import Landings, ShippingWays, Way
from shared.dune import facts
from shared.dune.table import Table

BRING = Way(
    "ship",
    "Bring reserves, free, around The Great Flat",
    "FRE-03",
    "reinforcement",
    from_reserves=True,
    is_free=True,
)
"""Neither paid nor from off-planet. [FRE-03, FRE-05]"""


@contributes(ShippingWays, rule="FRE-03", order=60)
def bring_reserves(shipping: ShippingWays, table: Table) -> ShippingWays:
    """Nothing goes from off-planet; a way on the planet that an ally lends takes reserves too. [SHIP-15, FRE-06]"""
    if shipping.faction != NAME:
        return shipping
    ways = [BRING]
    if ruling(table, "fremen_guild_shipping") == "on":
        lent = [way for way in shipping.ways if not way.off_planet and way.from_board]
        ways += [msgspec.structs.replace(way, from_reserves=not way.to_reserves) for way in lent]
    return shipping.having(tuple(ways), "Fremen bring their reserves free", "FRE-03")


@contributes(Landings, rule="FRE-04", order=60)
def around_the_great_flat(ground: Landings, table: Table) -> Landings:
    """Free reserves go to The Great Flat and what lies at most two steps from it. [FRE-03, FRE-04, MAP-14]"""
    if ground.faction != NAME or not ground.way.is_free:
        return ground
    return ground.barred(_elsewhere(), "Your reserves come out only around The Great Flat.", "FRE-04")


def is_near(place: str) -> bool:
    """Whether a location is one where Fremen reserves come out. [MAP-14]"""
    return facts.territory_of(place).fremen_placement


@cache
def _elsewhere() -> tuple[str, ...]:
    return tuple(place for place in facts.locations() if not is_near(place))
