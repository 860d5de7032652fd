"""Fremen bring reserves into the storm, and lose half of the group. [FRE-27, FRE-28, FRE-44]"""

from __future__ import annotations

import msgspec

from services.rules.engine.hooks import contributes
from services.rules.engine.rulings import ruling
from services.rules.factions.fremen import NAME
from services.rules.factions.fremen.shipping import is_near
from services.rules.phases.places import is_protected_from_storm, may_enter_stronghold
from services.rules.phases.shipment_quotes import ArrivalLosses, Landings, NeededPowers
from shared.dune import facts
from shared.dune.table import RESERVES, Table

ADVANCED = ("advanced",)
POWER = "fremen.storm_entry"
"""Karama name: entering the storm with reserves. [FRE-44]"""


@contributes(Landings, rule="FRE-27", order=65, cancel=POWER, modes=ADVANCED)
def into_the_storm(ground: Landings, table: Table) -> Landings:
    """Free reserves may come out where the storm is, protected or not; other limits hold. [FRE-27]"""
    if ground.faction != NAME or not ground.way.is_free:
        return ground
    stormy = [place for place in facts.locations_in(table.storm) if is_near(place)]
    free = (p for p in stormy if may_enter_stronghold(table, NAME, facts.territory_of(p).id))
    return ground.opened(free)


@contributes(NeededPowers, rule="FRE-44", cancel=POWER, modes=ADVANCED)
def needs_its_power(needed: NeededPowers, table: Table) -> NeededPowers:
    """Without the power the storm bars them. [FRE-44, REACT-45]"""
    if needed.faction != NAME or needed.to == RESERVES or not table.in_storm(needed.to):
        return needed
    powers = {**needed.powers, POWER: "Fremen enter the storm with reserves"}
    return msgspec.structs.replace(needed, powers=powers)


@contributes(ArrivalLosses, rule="FRE-27", modes=ADVANCED)
def half_is_lost(losses: ArrivalLosses, table: Table) -> ArrivalLosses:
    """Half of the group, rounded up; by ruling nothing where the place is protected. [FRE-27, RULING-24]"""
    if losses.faction != NAME or losses.to == RESERVES or not table.in_storm(losses.to):
        return losses
    spared = ruling(table, "fremen_into_protected_storm") == "no_loss"
    if spared and is_protected_from_storm(table, losses.to):
        return losses
    return losses.step(-(-losses.number // 2), "Half of what Fremen bring into the storm", "FRE-27")
