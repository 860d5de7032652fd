"""The two sides of Bene Gesserit forces: fighters and advisors. [BG-21..BG-32, BG-39, MOVE-19, MOVE-22]

Which side forces lie on is what the table shows; nothing else remembers it. In one territory all lie on one side. What
may be chosen about it stands in the modules beside this one; what follows by itself stands here.
"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.settling import settles
from services.rules.engine.watching import watches
from services.rules.factions.bene_gesserit import NAME
from services.rules.phases.movement import HOW as MOVEMENT
from services.rules.phases.places import OverLimit, may_enter_stronghold
from services.rules.phases.presence import lodges_in
from services.rules.phases.shipment_quotes import Landings
from shared.dune import facts
from shared.dune.events.forces import ForcesMoved, ForcesTurned
from shared.dune.settings import Mode
from shared.dune.table import RESERVES, TANKS, Kinds, Table

__all__ = [
    "ADVANCED",
    "ADVISOR",
    "FIGHTER",
    "FLIP",
    "advisors_in",
    "ally_is_in",
    "fighters_in",
    "may_hold_fighters",
    "turn_all",
]

ADVANCED: tuple[Mode, ...] = ("advanced",)
FIGHTER, ADVISOR = "regular", "advisor"
FLIP = "bene_gesserit.flip"
"""Karama name: one flip, to advisors or to fighters, that was chosen. [BG-48]"""
AFTER_BATTLES = ("battle", "collection", "mentat")
"""The phases in which a ruling lets advisors stay that a battle has left alone. [RULING-79]"""


def advisors_in(table: Table, territory: str) -> int:
    """How many advisors stand in a territory."""
    return table.factions_in(territory).get(NAME, 0) if lodges_in(table, NAME, territory) else 0


def fighters_in(table: Table, territory: str) -> int:
    """How many fighters stand in a territory."""
    return table.occupants_of(territory).get(NAME, 0)


def ally_is_in(table: Table, territory: str) -> bool:
    """Whether forces of the ally stand in a territory. [BG-38, BG-40]"""
    return table.ally_of(NAME) in table.factions_in(territory)


def may_hold_fighters(table: Table, territory: str) -> bool:
    """Whether advisors in a territory may be turned to fighters by choice: within the occupancy limit, and not with
    an ally. [BG-30, BG-38, BG-40]
    """
    return may_enter_stronghold(table, NAME, territory, passes=True) and not ally_is_in(table, territory)


def turn_all(play: Play, territory: str, new: str, why: str) -> None:
    """Turn all forces in a territory to one side. [BG-21]"""
    old = FIGHTER if new == ADVISOR else ADVISOR
    for place in facts.locations_of(territory):
        if number := play.table.kinds_at(place, NAME).get(old, 0):
            play.emit(ForcesTurned(NAME, place, number, old, new, why))


@settles(rule="BG-39", modes=ADVANCED)
def advisors_alone(play: Play) -> None:
    """Advisors with no force of another player in their territory become fighters, also under storm.

    [BG-29, BG-39, BG-50, MOVE-22, STORM-20, BLOW-21, BATTLE-63]
    """
    table = play.table
    stay = table.phase in AFTER_BATTLES and play.ruling("advisors_alone_after_battle") == "stay"
    if NAME not in table.seats or stay:
        return
    for territory in sorted(table.territories_of(NAME)):
        if len(table.factions_in(territory)) == 1 and advisors_in(table, territory):
            turn_all(play, territory, FIGHTER, "alone there")


@watches(ForcesMoved, rule="BG-31", modes=ADVANCED)
def takes_the_side_there(play: Play, moved: ForcesMoved) -> None:
    """A group takes the side of its own forces where it arrives; a paid shipment lands as fighters elsewhere.

    [BG-28, BG-31, BG-32, MOVE-19]
    """
    if moved.faction != NAME or moved.target in (RESERVES, TANKS):
        return
    there = _there_before(play.table, moved)
    if not there and moved.how == MOVEMENT:
        return
    side = next(iter(there), FIGHTER)
    for kind, number in moved.kinds.items():
        if kind != side:
            why = "as its forces there" if there else "shipped"
            play.emit(ForcesTurned(NAME, moved.target, number, kind, side, why))


def _there_before(table: Table, moved: ForcesMoved) -> Kinds:
    """The forces in the territory of a group's target that did not come with it."""
    found: Kinds = {}
    for place in facts.locations_of(facts.territory_of(moved.target).id):
        for kind, number in table.kinds_at(place, NAME).items():
            found[kind] = found.get(kind, 0) + number
    for kind, number in moved.kinds.items():
        found[kind] -= number
    return {kind: number for kind, number in found.items() if number}


@contributes(OverLimit, rule="BG-51", modes=ADVANCED)
def advisors_come_in(limit: OverLimit, table: Table) -> OverLimit:
    """The limit does not bind what is an advisor on arrival: advisors that move, fighters that join own advisors.

    [BG-51, RULING-80]
    """
    if limit.faction != NAME:
        return limit
    joins = lodges_in(table, NAME, limit.territory)
    anywhere = limit.stays and ruling(table, "advisors_in_full_stronghold") == "allowed"
    if anywhere or (joins and (limit.stays or not limit.passes)):
        return limit.step(1, "Advisors do not count for the limit", "BG-51")
    return limit


@contributes(Landings, rule="BG-28", modes=ADVANCED)
def not_to_own_advisors(ground: Landings, table: Table) -> Landings:
    """By ruling nothing is shipped to where own advisors are. [BG-28, RULING-47]"""
    if ground.faction != NAME or ruling(table, "ship_to_advisors") != "forbid":
        return ground
    held = [territory for territory in table.territories_of(NAME) if advisors_in(table, territory)]
    places = [place for territory in sorted(held) for place in facts.locations_of(territory)]
    return ground.barred(places, "Your advisors are there: no fighters may be shipped to them.", "BG-28")
