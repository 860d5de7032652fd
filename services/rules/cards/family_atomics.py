"""Family Atomics: destroys the Shield Wall. [ATOMICS]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.cards.playing import discard
from services.rules.engine.flow import Flow
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.windows import Reaction, Subject, react
from services.rules.phases.hands import cards_of, may_hold
from services.rules.phases.places import WALL
from services.rules.phases.presence import active_at
from shared.dune import facts
from shared.dune.events.forces import ForcesKilled
from shared.dune.events.storm import ShieldWallDestroyed
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off
from shared.dune.table import Table

CARD = "family_atomics"


@react
class FamilyAtomics(Reaction):
    """In the storm-card window a holder with forces near enough destroys the wall. [ATOMICS-01, ATOMICS-11]"""

    name: ClassVar[str] = CARD
    kinds: ClassVar[tuple[str, ...]] = ("storm.card",)
    rule: ClassVar[str] = "ATOMICS-01"
    label: ClassVar[str] = "Destroy the Shield Wall with Family Atomics"

    def possible(self, table: Table, seat: Faction, kind: str, subject: Subject) -> bool:
        """Everybody, while there is a wall and the card may be in a hand, wherever its forces are. [REACT-06]

        Where a ruling puts the card on the discard pile it may come back, but the wall falls once. [ATOMICS-11]
        """
        return not table.is_set(WALL) and may_hold(table, seat, CARD)

    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """A holder near enough can."""
        if not cards_of(table, seat, CARD):
            return Off("You do not hold Family Atomics.", self.rule)
        if not is_near_wall(table, seat):
            far = "You have no forces on the Shield Wall or near enough to it."
            return Off(far, "ATOMICS-02")
        return Fields({})

    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The wall falls at once, and all who stand on it die. [ATOMICS-04, ATOMICS-05, ATOMICS-07]"""
        removed = play.ruling("atomics_to_discard") == "removed"
        discard(play, seat, CARD, "destroys the Shield Wall", removed=removed)
        play.emit(ShieldWallDestroyed(seat))
        wall, _ = facts.shield_wall()
        for place in facts.locations_of(wall):
            for faction in sorted(play.table.forces.get(place, {})):
                play.emit(ForcesKilled(faction, play.table.kinds_at(place, faction), place, "atomics"))
        return None


def is_near_wall(table: Table, seat: Faction) -> bool:
    """Whether a faction has a force on the wall or near enough to it. [ATOMICS-01, ATOMICS-02, ATOMICS-08]"""
    wall, adjacent = facts.shield_wall()
    strict = ruling(table, "atomics_adjacency") == "strict"
    for place in table.places_of(seat):
        if not active_at(table, place, seat):
            continue
        territory = facts.territory_of(place).id
        if territory == wall:
            return True
        if territory in adjacent and _reaches(table, place, wall, strict):
            return True
    return False


def _reaches(table: Table, place: str, wall: str, strict: bool) -> bool:
    """Whether a way within the territory leads from a location to the wall, with no storm between. [ATOMICS-02]

    Storm on the location itself, or on the wall, lies between only in the `strict` reading.
    """
    if strict and table.in_storm(place):
        return False
    home, seen, left = facts.territory_of(place).id, {place}, [place]
    while left:
        for there in facts.location(left.pop()).neighbours:
            territory, stormy = facts.territory_of(there).id, table.in_storm(there)
            if territory == wall and not (strict and stormy):
                return True
            if territory == home and there not in seen and not stormy:
                seen.add(there)
                left.append(there)
    return False
