"""Spice Collection: forces take the spice of their location, automatically. [COLLECT-01..COLLECT-06]"""

from __future__ import annotations

from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import Quote, quote
from services.rules.engine.play import Play
from services.rules.phases.course import phase
from shared.dune import facts
from shared.dune.events.forces import SpiceCollected
from shared.dune.settings import Faction
from shared.dune.table import Table

__all__ = ["CollectionPhase", "CollectionRate", "Collectors"]

RATE, CITY_RATE = 2, 3


class CollectionRate(Quote, frozen=True, kw_only=True):
    """How much spice each force of a faction collects. [COLLECT-02]"""

    faction: Faction


class Collectors(Quote, frozen=True, kw_only=True):
    """How many forces of a faction collect at a location. [COLLECT-01]"""

    faction: Faction
    place: str


@phase("collection")
class CollectionPhase(Flow, tag="collection", frozen=True, omit_defaults=True):
    """Nobody is asked: collection is automatic and complete. [COLLECT-05]"""

    def start(self, play: Play) -> Next:
        """Location by location; in one location in storm order. [COLLECT-06]"""
        lying = [place for place in facts.locations() if play.table.spice_of(place)]
        for place in lying:
            for faction in play.table.order or play.table.seats:
                if amount := collected(play.table, faction, place):
                    play.emit(SpiceCollected(faction, place, amount))
        return self.done()


def collected(table: Table, faction: Faction, place: str) -> int:
    """What a faction collects from a location now; not more than lies there. [COLLECT-01, COLLECT-03]"""
    lying, there = table.spice_of(place), table.number_at(place, faction)
    if not lying or not there:
        return 0
    number = quote(table, Collectors(faction=faction, place=place, value=there)).value
    return min(lying, number * collection_rate(table, faction))


def collection_rate(table: Table, faction: Faction) -> int:
    """The rate of a faction: 3 with a force in a city (Arrakeen or Carthag), else 2. [COLLECT-02, MAP-13]"""
    base = CollectionRate(faction=faction, value=RATE)
    if not table.territories_of(faction).isdisjoint(facts.cities()):
        base = base.step(CITY_RATE, "Its forces hold a city with ornithopters", "COLLECT-02")
    return quote(table, base).value
