"""Allied forces may not stay together: what is lost when a turn of action ends. [ALLY-11..ALLY-20, MOVE-21]

What stood where, and who was allied, as the turn began is kept in two public marks of the turn.
"""

from __future__ import annotations

from services.rules.engine.flow import Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.phases.presence import parting_at, parting_in, parting_territories
from shared.dune import facts
from shared.dune.events.forces import ForcesKilled
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import RESERVES, TANKS, Table

__all__ = ["ALLIED", "GUESTS", "STANDING", "receive_guest", "separate"]

STANDING = "turn.standing"
"""Public mark: the forces on the board as the turn began, as `<faction> <location> <number>`. [ALLY-13, ALLY-19]"""
ALLIED = "turn.allied"
"""Public mark: who was allied with whom as the turn began, as `<faction> <ally>`. [ALLY-13, ALLY-14]"""
GUESTS = "turn.guests."
"""Prefix of public marks, by faction: forces of it that need not part from the ally's this turn, one row for each:
`<territory> <forces of the ally there as it came>`. [ALLY-20]"""
CAUSE = "sharing with an ally"


@at("storm.begins", rule="ALLY-13", order=10)
def note_turn(table: Table, subject: Json) -> Flow:
    """What stands where as the turn begins."""
    return NoteStanding()


@at("shipment.begins", rule="ALLY-13", order=10)
def note_phase(table: Table, subject: Json) -> Flow | None:
    """The same in a game that begins later in its turn."""
    return None if STANDING in table.marks else NoteStanding()


class NoteStanding(Flow, tag="separation.note", frozen=True, omit_defaults=True):
    """Remember forces and alliances as they are. [ALLY-13, ALLY-14, ALLY-19]"""

    def start(self, play: Play) -> Next:
        """Two marks; a case may have stated one of them."""
        table = play.table
        rows = [
            f"{faction} {place} {number}"
            for place, by_faction in sorted(table.forces.items())
            if place not in (RESERVES, TANKS)
            for faction in sorted(by_faction)
            if (number := parting_at(table, place, faction))
        ]
        play.set_public(STANDING, tuple(rows))
        if ALLIED not in table.marks:
            play.set_public(ALLIED, tuple(f"{one} {other}" for one, other in sorted(table.allies.items())))
        return self.done()


def separate(play: Play, faction: Faction, acted: tuple[Faction, ...]) -> None:
    """Whatever of a faction may not stay with its ally goes to the tanks; `acted`: who has acted before it. [ALLY-11]

    Not in the Polar Sink, and not without an alliance. [ALLY-16]
    """
    ally = play.table.ally_of(faction)
    if ally is None:
        return
    shared = parting_territories(play.table, faction) & parting_territories(play.table, ally)
    for territory in facts.territories():
        if territory not in shared or territory == facts.territory_of(facts.POLAR_SINK).id:
            continue
        stays = _may_stay(play, faction, ally, territory, acted) + len(
            _guests(play.table, territory, faction)
        )
        guests = _guests(play.table, territory, ally)
        if parting_in(play.table, territory, ally) <= len(guests):
            stays = max(stays, *guests)
        _lose(play, faction, territory, parting_in(play.table, territory, faction) - stays)


def receive_guest(play: Play, faction: Faction, territory: str) -> None:
    """One force of a faction has come to where its ally is, and neither parts from the other this turn. [ALLY-20]"""
    mark, ally = f"{GUESTS}{faction}", play.table.ally_of(faction)
    number = parting_in(play.table, territory, ally) if ally else 0
    play.set_public(mark, (*play.table.names(mark), f"{territory} {number}"))


def _guests(table: Table, territory: str, faction: Faction) -> list[int]:
    """For each such force in a territory how many of the ally's it found there."""
    rows = (row.split() for row in table.names(f"{GUESTS}{faction}"))
    return [int(number) for where, number in rows if where == territory]


def _may_stay(play: Play, faction: Faction, ally: Faction, territory: str, acted: tuple[Faction, ...]) -> int:
    """How many forces may stay with the ally's in a territory. [ALLY-12, ALLY-13, ALLY-14, ALLY-19]"""
    rule = play.ruling("ally_separation")
    if rule == "own_turn":
        return 0
    table = play.table
    before = sum(_standing(table, faction, place) for place in facts.locations_of(territory))
    shared = before and any(_standing(table, ally, place) for place in facts.locations_of(territory))
    is_old = f"{faction} {ally}" in table.names(ALLIED) or rule == "second_mover_always"
    if shared and is_old and ally in acted:
        return 0
    return before


def _standing(table: Table, faction: Faction, place: str) -> int:
    """How many forces of a faction stood at a location as the turn began."""
    for row in table.names(STANDING):
        who, where, number = row.split()
        if who == faction and where == place:
            return int(number)
    return 0


def _lose(play: Play, faction: Faction, territory: str, number: int) -> None:
    """Forces that must not stay, newcomers' places first, normal forces before others. [ALLY-12, ALLY-19]"""
    table = play.table
    grown = {
        place: parting_at(table, place, faction) - _standing(table, faction, place)
        for place in facts.locations_of(territory)
    }
    for kind in _kinds(table, faction, territory):
        for place in sorted(grown, key=lambda p: (-grown[p], p)):
            lost = min(number, play.table.kinds_at(place, faction).get(kind, 0))
            if lost > 0:
                play.emit(ForcesKilled(faction, {kind: lost}, place, CAUSE))
                number -= lost


def _kinds(table: Table, faction: Faction, territory: str) -> list[str]:
    found = {kind for place in facts.locations_of(territory) for kind in table.kinds_at(place, faction)}
    return sorted(found, key=lambda kind: (kind != "regular", kind))
