"""Spice Collection: forces take the spice of their location, automatically. [COLLECT-01..COLLECT-08]"""

from __future__ import annotations

from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import Line, Quote, contributes, quote
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.phases.course import phase
from services.rules.phases.presence import active_at
from shared.dune import facts
from shared.dune.events.forces import SpiceCollected, SpicePaid
from shared.dune.settings import Faction
from shared.dune.table import BANK, Table

__all__ = ["CollectionPhase", "CollectionRate", "Collectors", "StrongholdIncome"]

ADVANCED = ("advanced",)

RATE, CITY_RATE = facts.common().spice_per_force, facts.common().spice_per_force_with_city


class CollectionRate(Quote, frozen=True, kw_only=True):
    """How much spice each force of a faction collects. [COLLECT-02]"""

    faction: Faction


class Collectors(Quote, frozen=True, kw_only=True):
    """How many forces of a faction collect at a location. [COLLECT-01]"""

    faction: Faction
    place: str


class StrongholdIncome(Quote, frozen=True, kw_only=True):
    """What the bank pays a faction that occupies a territory, at the time of collection. [COLLECT-07]"""

    faction: Faction
    territory: str


@contributes(StrongholdIncome, rule="COLLECT-07", modes=ADVANCED)
def printed_income(income: StrongholdIncome, table: Table) -> StrongholdIncome:
    """In the Advanced game strongholds yield what the board says, to each occupant. [COLLECT-07, COLLECT-08]"""
    amount = facts.territory(income.territory).advanced_income
    if not amount or not _is_held(table, income.faction, income.territory):
        return income
    text = f"{facts.name(income.territory)} yields {amount} spice"
    return income.step(income.value + amount, text, "COLLECT-07")


def _is_held(table: Table, faction: Faction, territory: str) -> bool:
    """Whether an occupant has the use of a stronghold; by ruling only if it is alone there. [COLLECT-08, RULING-21]"""
    there = table.occupants_of(territory)
    return faction in there and (len(there) == 1 or ruling(table, "contested_income") == "each_occupant")


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
        return self.goto("income")

    def income(self, play: Play) -> Next:
        """What occupied strongholds yield. [COLLECT-07]"""
        for territory in facts.territories():
            for faction in play.table.order or play.table.seats:
                if due := stronghold_income(play.table, faction, territory).value:
                    play.emit(SpicePaid(BANK, due, faction, f"income of {facts.name(territory)}"))
        return self.done()


def collected(table: Table, faction: Faction, place: str) -> int:
    """What a faction collects from a location now; not more than lies there. [COLLECT-01, COLLECT-03, COLLECT-04]"""
    lines = collection_lines(table, faction, place)
    return lines[-1].value if lines else 0


def collection_lines(table: Table, faction: Faction, place: str) -> tuple[Line, ...]:
    """What a faction collects from a location now, reason by reason; none where it collects nothing.

    [COLLECT-01, COLLECT-03, COLLECT-04]
    """
    lying, there = table.spice_of(place), active_at(table, place, faction)
    if not lying or not there:
        return ()
    who = quote(table, Collectors(faction=faction, place=place, value=there))
    rate = collection_rate(table, faction)
    due = who.value * rate.value
    each = f"{facts.counted(who.value, 'force')} there"
    lines = (
        *who.lines,
        Line(each, who.value, "COLLECT-01"),
        *rate.lines,
        Line("Forces times rate", due, "COLLECT-02"),
    )
    return lines if due <= lying else (*lines, Line("No more than lies there", lying, "COLLECT-03"))


def collection_rate(table: Table, faction: Faction) -> CollectionRate:
    """The rate of a faction: 3 with a force in a city (Arrakeen or Carthag), else 2. [COLLECT-02, MAP-13]"""
    base = CollectionRate(faction=faction).step(RATE, "Spice for each force", "COLLECT-02")
    if any(table.occupies(faction, city) for city in facts.cities()):
        base = base.step(CITY_RATE, "Its forces hold a city with ornithopters", "COLLECT-02")
    return quote(table, base)


def stronghold_income(table: Table, faction: Faction, territory: str) -> StrongholdIncome:
    """What a faction is paid for holding a territory, and why; nothing where it does not occupy it. [COLLECT-07]"""
    base = StrongholdIncome(faction=faction, territory=territory)
    return quote(table, base) if faction in table.occupants_of(territory) else base


@contributes(CollectionRate, rule="COLLECT-08", modes=ADVANCED)
def contested_city(rate: CollectionRate, table: Table) -> CollectionRate:
    """By ruling a city that two factions occupy serves neither. [COLLECT-08, RULING-21]"""
    held = [city for city in facts.cities() if table.occupies(rate.faction, city)]
    if not held or any(_is_held(table, rate.faction, city) for city in held):
        return rate
    return rate.step(RATE, "It does not hold a city alone", "COLLECT-08")
