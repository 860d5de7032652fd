"""The table: one immutable value that holds everything physical, and the few helpers that change it.

A change makes a new table that shares what did not change. Nothing else writes: events call these helpers, and
only `evolve` applies events. Pieces, forces and spice are never made or lost after setup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from shared.dune import facts
from shared.dune.facts.forces import off_board, stays
from shared.dune.memo import by_identity
from shared.dune.settings import Faction, Settings

__all__ = [
    "BANK",
    "RESERVES",
    "TANKS",
    "CensusError",
    "Mark",
    "Piece",
    "Result",
    "Table",
    "add_pieces",
    "forces_at",
    "mark",
    "marked",
    "move_forces",
    "move_piece",
    "pay",
    "put",
    "turn_forces",
    "zone",
]

Piece: TypeAlias = str
"""A physical thing with an identity: `shield#2`, `traitor:chani`, `gurney_halleck`, `shai_hulud#3`."""
Kinds: TypeAlias = dict[str, int]
Forces: TypeAlias = dict[str, dict[Faction, Kinds]]
"""Place (location, `reserves`, `tanks`) to faction to kind to number."""

RESERVES = "reserves"
TANKS = "tanks"
BANK = "bank"
"""Holder of all spice that nobody has; its balance is minus what is in play, so that all spice adds up to 0."""


class CensusError(ValueError):
    """Something would be created, lost or moved from where it is not: a fault of the program, never of a player."""


class Mark(Struct, frozen=True, omit_defaults=True):
    """A fact about the game that is no piece: who may see it (`public`, or these factions), and its value."""

    value: str | int | bool | tuple[str, ...]
    seen_by: tuple[Faction, ...] = ()
    public: bool = False


class Result(Struct, frozen=True):
    """How the game ended: who won, by which way, and in which turn. [MENTAT-05..MENTAT-16]"""

    winners: tuple[Faction, ...]
    way: str
    turn: int


class Table(Struct, frozen=True):
    """The whole game as a value. Zones are ordered lists of pieces; forces and spice are stacks by place.

    `zones`: zone name to pieces, top first. `forces`: place (location, or `reserves`, `tanks`) to faction to kind to
    number. `spice`: holder (a faction, `bribe.<faction>`, `escrow.<faction>`, a location, `bank`) to amount. `marks`:
    everything else that rules remember, each with its audience. `memory`: what a faction was lawfully shown.
    `leader_cycle`: deaths and revivals of each leader so far. [REVIVAL-17]
    """

    settings: Settings = Settings()
    turn: int = 0
    phase: str = "setup"
    storm: int = facts.SECTORS
    zones: dict[str, tuple[Piece, ...]] = {}
    forces: Forces = {}
    spice: dict[str, int] = {}
    marks: dict[str, Mark] = {}
    allies: dict[Faction, Faction] = {}
    order: tuple[Faction, ...] = ()
    memory: dict[Faction, tuple[str, ...]] = {}
    leader_cycle: dict[Piece, int] = {}
    result: Result | None = None

    @property
    def seats(self) -> tuple[Faction, ...]:
        """The factions in play, in player-circle order."""
        return self.settings.seats

    def is_advanced(self) -> bool:
        """Whether the Advanced game is played. [GEN-01]"""
        return self.settings.mode == "advanced"

    def ally_of(self, faction: Faction) -> Faction | None:
        """The ally of a faction, if it has one. [NEXUSPHASE-05]"""
        return self.allies.get(faction)

    def are_allied(self, one: Faction, other: Faction) -> bool:
        """Whether two factions are allies of each other."""
        return self.allies.get(one) == other

    def spice_of(self, holder: str) -> int:
        """The spice of a holder: a faction's own behind its shield, a location's on the board."""
        return self.spice.get(holder, 0)

    def hand(self, faction: Faction) -> tuple[Piece, ...]:
        """The treachery cards of a faction's hand."""
        return self.zones.get(f"hand.{faction}", ())

    def leaders(self, faction: Faction) -> tuple[Piece, ...]:
        """The leaders of a faction's pool: alive and not held by another. [GEN-18]"""
        return self.zones.get(f"leaders.{faction}", ())

    def value(
        self, name: str, default: str | int | bool | tuple[str, ...] = 0
    ) -> str | int | bool | tuple[str, ...]:
        """The value of a mark, or the default when it is not set."""
        found = self.marks.get(name)
        return default if found is None else found.value

    def count(self, name: str) -> int:
        """The value of a mark that counts something; 0 when it is not set."""
        return int(self.value(name, 0))  # type: ignore[arg-type]

    def names(self, name: str) -> tuple[str, ...]:
        """The value of a mark that lists names; empty when it is not set."""
        found = self.value(name, ())
        return found if isinstance(found, tuple) else ()

    def is_set(self, name: str) -> bool:
        """Whether a mark is set to something true."""
        return bool(self.value(name, False))

    def kinds_at(self, place: str, faction: Faction) -> Kinds:
        """The forces of a faction at a place, by kind (a fresh dict)."""
        return dict(self.forces.get(place, {}).get(faction, {}))

    def number_at(self, place: str, faction: Faction) -> int:
        """How many forces a faction has at a place."""
        return sum(self.forces.get(place, {}).get(faction, {}).values())

    def places_of(self, faction: Faction) -> Mapping[str, int]:
        """The board locations where a faction has forces, with how many; in no order that means anything."""
        return _occupied(self.forces).places.get(faction, _NOWHERE)

    def factions_in(self, territory: str) -> Mapping[Faction, int]:
        """The factions with forces in any sector of a territory, with how many."""
        return _occupied(self.forces).territories.get(territory, _NOWHERE)

    def occupants_of(self, territory: str) -> Mapping[Faction, int]:
        """The factions that occupy a territory, with how many forces: those that only stay there aside. [GEN-17]"""
        return _occupied(self.forces).occupants.get(territory, _NOWHERE)

    def occupies(self, faction: Faction, territory: str) -> bool:
        """Whether a faction has a force in a territory that occupies it. [GEN-17, BG-23]"""
        return faction in self.occupants_of(territory)

    def territories_of(self, faction: Faction) -> frozenset[str]:
        """The territories in which a faction has forces."""
        return _occupied(self.forces).territories_of.get(faction, frozenset())

    def in_storm(self, place: str) -> bool:
        """Whether a location lies in the storm's sector; never the Polar Sink. [MAP-08, STORM-22]"""
        return facts.sector_of(place) == self.storm


class _Occupied(Struct, frozen=True):
    """Where forces stand on the board, by faction and by territory: what most questions about the board begin with."""

    places: dict[Faction, dict[str, int]]
    territories: dict[str, dict[Faction, int]]
    territories_of: dict[Faction, frozenset[str]]
    occupants: dict[str, dict[Faction, int]]


_NOWHERE: Mapping[str, int] = MappingProxyType({})


@by_identity
def _occupied(forces: Forces) -> _Occupied:
    """Worked out once for each state of the forces: tables share it for as long as no force moves."""
    places: dict[Faction, dict[str, int]] = {}
    territories: dict[str, dict[Faction, int]] = {}
    for place in sorted(forces.keys() - (RESERVES, TANKS), key=facts.board_order):
        here = territories.setdefault(facts.territory_of(place).id, {})
        for faction, kinds in forces[place].items():
            number = sum(kinds.values())
            places.setdefault(faction, {})[place] = number
            here[faction] = here.get(faction, 0) + number
    return _Occupied(
        places,
        territories,
        {
            faction: frozenset(facts.territory_of(place).id for place in found)
            for faction, found in places.items()
        },
        _occupants(forces, territories),
    )


def _occupants(forces: Forces, territories: dict[str, dict[Faction, int]]) -> dict[str, dict[Faction, int]]:
    """The factions of each territory without those forces that only stay there; mostly there are none. [BG-23]"""
    found = territories
    for place in forces.keys() - (RESERVES, TANKS):
        for faction, kinds in forces[place].items():
            if stays().isdisjoint(kinds):
                continue
            staying = sum(kinds[kind] for kind in stays() & kinds.keys())
            found = dict(territories) if found is territories else found
            territory = facts.territory_of(place).id
            less = {**found[territory], faction: found[territory][faction] - staying}
            found[territory] = {one: number for one, number in less.items() if number}
    return found


put = replace
"""A table with some fields replaced, `put(table, turn=3)`: the only way in which a table is ever changed."""


def zone(table: Table, name: str) -> tuple[Piece, ...]:
    """The pieces of a zone, top first; empty if nothing lies there."""
    return table.zones.get(name, ())


def add_pieces(table: Table, name: str, pieces: Iterable[Piece]) -> Table:
    """Bring new pieces into the game at setup; CensusError if one exists already."""
    new = tuple(pieces)
    present = {piece for held in table.zones.values() for piece in held}
    if doubled := present.intersection(new):
        raise CensusError(f"pieces exist already: {sorted(doubled)}")
    return replace(table, zones=_with(table.zones, name, zone(table, name) + new))


def move_piece(table: Table, piece: Piece, source: str, target: str, *, bottom: bool = False) -> Table:
    """Move one piece from a zone to the top (or bottom) of another; CensusError if it is not there."""
    held = table.zones.get(source, ())
    if piece not in held:
        raise CensusError(f"{piece} is not in {source}")
    zones = dict(table.zones)
    if rest := tuple([item for item in held if item != piece]):
        zones[source] = rest
    else:
        del zones[source]
    there = zones.get(target, ())
    zones[target] = (*there, piece) if bottom else (piece, *there)
    return replace(table, zones=zones)


def reorder(table: Table, name: str, pieces: tuple[Piece, ...]) -> Table:
    """Put the pieces of a zone in another order; CensusError if they are not the same pieces."""
    if sorted(pieces) != sorted(zone(table, name)):
        raise CensusError(f"a shuffle of {name} must keep its pieces")
    return replace(table, zones=_with(table.zones, name, pieces))


def add_forces(table: Table, place: str, faction: Faction, kinds: Mapping[str, int]) -> Table:
    """Bring forces into the game at setup."""
    forces = dict(table.forces)
    _shift(forces, place, faction, kinds, sign=1)
    return replace(table, forces=forces)


def move_forces(table: Table, faction: Faction, kinds: Mapping[str, int], source: str, target: str) -> Table:
    """Move forces between places; CensusError if they are not there. [GEN-15]

    What has another side on the board than off it has none in reserves and in the tanks. [BG-22]
    """
    forces = dict(table.forces)
    _shift(forces, source, faction, kinds, sign=-1)
    if target in (RESERVES, TANKS) and not off_board().keys().isdisjoint(kinds):
        kinds = _sideless(kinds)
    _shift(forces, target, faction, kinds, sign=1)
    return replace(table, forces=forces)


def turn_forces(table: Table, faction: Faction, place: str, number: int, old: str, new: str) -> Table:
    """Turn forces at a place over to their other side; CensusError if they are not there. [BG-21]"""
    forces = dict(table.forces)
    _shift(forces, place, faction, {old: number}, sign=-1)
    _shift(forces, place, faction, {new: number}, sign=1)
    return replace(table, forces=forces)


def _sideless(kinds: Mapping[str, int]) -> Kinds:
    found: Kinds = {}
    for kind, number in kinds.items():
        there = off_board().get(kind, kind)
        found[there] = found.get(there, 0) + number
    return found


def forces_at(table: Table, places: Iterable[str], faction: Faction) -> dict[str, Kinds]:
    """The forces of a faction at each of these places where it has any."""
    return {place: kinds for place in places if (kinds := table.kinds_at(place, faction))}


def pay(table: Table, amount: int, payer: str, receiver: str) -> Table:
    """Move spice between holders; CensusError if the payer has not so much. The bank never runs out. [GEN-14]"""
    if amount < 0 or (payer != BANK and table.spice_of(payer) < amount):
        raise CensusError(f"{payer} cannot pay {amount} spice")
    if amount == 0 or payer == receiver:
        return table
    spice = dict(table.spice)
    _add(spice, payer, -amount)
    _add(spice, receiver, amount)
    return replace(table, spice=spice)


def mark(table: Table, name: str, new: Mark | None) -> Table:
    """Set a mark, or remove it."""
    return marked(table, {name: new})


def marked(table: Table, new: Mapping[str, Mark | None]) -> Table:
    """Set these marks, and remove those that are given as None."""
    held = table.marks
    if not any(new.values()) and not any(name in held for name in new):
        return table
    marks = dict(held)
    for name, value in new.items():
        marks.pop(name, None)  # what is set anew comes last
        if value is not None:
            marks[name] = value
    return replace(table, marks=marks)


def all_pieces(table: Table) -> Iterator[tuple[Piece, str]]:
    """Every piece with the zone in which it lies."""
    for name, pieces in table.zones.items():
        for piece in pieces:
            yield piece, name


def _with(
    zones: dict[str, tuple[Piece, ...]], name: str, pieces: tuple[Piece, ...]
) -> dict[str, tuple[Piece, ...]]:
    changed = dict(zones)
    if pieces:
        changed[name] = pieces
    else:
        changed.pop(name, None)
    return changed


def _add(spice: dict[str, int], holder: str, amount: int) -> None:
    left = spice.get(holder, 0) + amount
    if left or holder == BANK:
        spice[holder] = left
    else:
        spice.pop(holder, None)


def _shift(forces: Forces, place: str, faction: Faction, kinds: Mapping[str, int], sign: int) -> None:
    """Add forces to a place of a fresh mapping, or take them away; the places' own mappings are shared, so copied."""
    here = dict(forces.get(place, {}))
    stack = dict(here.get(faction, {}))
    for kind, number in kinds.items():
        left = stack.get(kind, 0) + sign * number
        if number < 0 or left < 0:
            raise CensusError(f"{faction} has not {number} {kind} forces at {place}")
        stack[kind] = left
        if not left:
            del stack[kind]
    here[faction] = stack
    if not stack:
        del here[faction]
    forces[place] = here
    if not here:
        del forces[place]
