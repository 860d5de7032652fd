"""Board, factions, cards and leaders as checked data, read once from the TOML files beside this module."""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from importlib import resources
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from shared.dune.facts.nexus import nexus_cards
from shared.dune.facts.special import special_leaders

SECTORS = 18
"""Sectors of the board, numbered 1 to 18 in the storm's direction; Storm Start is sector 18. [MAP-01]"""
FORCES = 20
"""Forces of each faction. [GEN-15]"""
POLAR_SINK = "polar_sink:0"
"""The one location that touches every sector and lies in none. [MAP-01, MAP-08]"""


class TerritoryFact(Struct, frozen=True):
    """A printed territory; `kind` is sand, rock, stronghold or polar_sink. [MAP-01..MAP-16]"""

    id: str
    name: str
    kind: str
    sectors: tuple[int, ...]
    storm_protected: bool
    worm_can_appear: bool
    adjacent: tuple[str, ...]
    victory_stronghold: bool = False
    shield_wall_dependent: bool = False
    ornithopters: bool = False
    fremen_placement: bool = False
    advanced_income: int = 0

    @property
    def is_stronghold(self) -> bool:
        """Whether the occupancy limit and the victory count apply. [MAP-04, MAP-15]"""
        return self.kind == "stronghold"

    @property
    def locations(self) -> tuple[str, ...]:
        """Its location ids, counterclockwise."""
        return _locations(self.id, self.sectors)


@cache
def _locations(id: str, sectors: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"{id}:{sector}" for sector in sectors)


class LocationFact(Struct, frozen=True):
    """The part of a territory that lies in one sector (0: the Polar Sink). [MAP-01, MAP-12]"""

    id: str
    territory: str
    sector: int
    neighbours: tuple[str, ...]
    spice_blow: int = 0


class LeaderFact(Struct, frozen=True):
    """A leader disc and its printed strength, which is its price and its worth in spice. [REVIVAL-15, BATTLE-51]"""

    id: str
    name: str
    faction: str
    strength: int


class EliteFact(Struct, frozen=True):
    """A faction's elite forces: what they are called, how many there are, and the mode in which they appear.

    [START-13]
    """

    name: str
    count: int
    mode: str

    @property
    def kind(self) -> str:
        """The kind of these forces on the table: `sardaukar`, `fedaykin`."""
        return self.name.lower()


class FactionFact(Struct, frozen=True):
    """The figures of a faction sheet. [START-11, START-12, START-23, START-24]

    `other_side`: the kind that its forces on the board may be turned to in the Advanced game; empty if none. [BG-21]
    """

    id: str
    name: str
    set: str
    spice: int
    free_revival: int
    hand_limit: int
    revival_limit: int
    revival_cost: int
    reserves: int
    leader_ids: tuple[str, ...]
    other_side: str = ""
    elite: EliteFact | None = None
    storm_deck: bool = False


class CommonFact(Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers that are the same for every faction. [CHARITY-01, COLLECT-02, GEN-03]"""

    charity_total: int
    spice_per_force: int
    spice_per_force_with_city: int
    max_turns: int


class TreacheryFact(Struct, frozen=True):
    """A treachery card face and how many copies the deck holds. [CARD-01]"""

    id: str
    name: str
    set: str
    count: int
    kind: str
    slots: tuple[str, ...] = ()
    attack: str = ""
    protects: tuple[str, ...] = ()
    discard: str = ""
    is_shield: bool = False
    counts_as_weapon_or_defense: bool = True
    effect: str = ""


class SpiceCardFact(Struct, frozen=True):
    """A spice card: a territory with its location and amount, or a worm. [MAP-10, MAP-11]"""

    id: str
    name: str
    set: str
    kind: str
    count: int
    location: str = ""
    amount: int = 0


@cache
def _document(name: str) -> dict[str, Any]:
    text = resources.files(__package__).joinpath(f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


_Row = TypeVar("_Row", TerritoryFact, LocationFact, LeaderFact, FactionFact, TreacheryFact, SpiceCardFact)


def _rows(document: str, key: str, kind: type[_Row]) -> dict[str, _Row]:
    rows: list[_Row] = msgspec.convert(_document(document)[key], list[kind])  # type: ignore[valid-type]
    return {row.id: row for row in rows}


@cache
def common() -> CommonFact:
    """The numbers that hold for all factions; a number that nobody reads is refused."""
    return msgspec.convert(_document("factions")["common"], CommonFact)


@cache
def territories() -> dict[str, TerritoryFact]:
    """All territories by id, in board order. [MAP-01]"""
    return _rows("board", "territory", TerritoryFact)


@cache
def locations() -> dict[str, LocationFact]:
    """All locations by id. [MAP-01]"""
    return _rows("board", "location", LocationFact)


@cache
def leaders() -> dict[str, LeaderFact]:
    """All ordinary leader discs by id."""
    return _rows("factions", "leader", LeaderFact)


@cache
def factions() -> dict[str, FactionFact]:
    """All twelve factions by id."""
    return _rows("factions", "faction", FactionFact)


@cache
def treachery_cards() -> dict[str, TreacheryFact]:
    """All treachery card faces by id, of every set."""
    return _rows("treachery", "card", TreacheryFact)


@cache
def spice_cards() -> dict[str, SpiceCardFact]:
    """All spice card faces by id, of every set."""
    return _rows("spice", "card", SpiceCardFact)


def territory(id: str) -> TerritoryFact:
    """The territory with this id; KeyError if the board has none."""
    return territories()[id]


def location(id: str) -> LocationFact:
    """The location with this id; KeyError if the board has none."""
    return locations()[id]


def faction(id: str) -> FactionFact:
    """The faction with this id; KeyError if there is none."""
    return factions()[id]


def leader(id: str) -> LeaderFact:
    """The leader disc with this id; KeyError if there is none."""
    return leaders()[id]


def leaders_of(faction_id: str) -> tuple[str, ...]:
    """The leader ids of a faction, as its sheet lists them."""
    return faction(faction_id).leader_ids


@lru_cache(maxsize=4096)
def treachery(piece: str) -> TreacheryFact:
    """The face of a treachery card, by its face id or by a piece such as `shield#2`."""
    return treachery_cards()[face(piece)]


@lru_cache(maxsize=4096)
def face(piece: str) -> str:
    """The face id of a piece: `shield` for `shield#2`, `gurney_halleck` for `traitor:gurney_halleck`."""
    return piece.partition("#")[0].rpartition(":")[2]


@lru_cache(maxsize=4096)
def unnumbered(text: str) -> str:
    """A piece as others see it, without the number of its copy: `shield` for `shield#2`; any other text as it is.

    On a table the copies of a card cannot be told apart; `what=piece`, as things are remembered, is a piece too.
    """
    name, mark, number = text.rpartition("#")
    piece = name.rpartition("=")[2]
    is_copy = bool(mark) and number.isdecimal() and (piece in treachery_cards() or piece in spice_cards())
    return name if is_copy else text


@lru_cache(maxsize=4096)
def territory_of(location_id: str) -> TerritoryFact:
    """The territory in which a location lies."""
    return territory(location_id.partition(":")[0])


def locations_of(territory_id: str) -> tuple[str, ...]:
    """The location ids of a territory, counterclockwise."""
    return territory(territory_id).locations


@lru_cache(maxsize=4096)
def sector_of(location_id: str) -> int:
    """The sector of a location; 0 for the Polar Sink."""
    return int(location_id.partition(":")[2])


@cache
def _board_order() -> dict[str, int]:
    return {place: index for index, place in enumerate(locations())}


def board_order(location_id: str) -> int:
    """The rank of a location in board order; what is no location (`reserves`) comes first."""
    return _board_order().get(location_id, -1)


@cache
def locations_in(sector: int) -> tuple[str, ...]:
    """The locations in a sector, in board order; sector 0 is the Polar Sink alone. [MAP-01]"""
    return tuple(place for place in locations() if sector_of(place) == sector)


@cache
def strongholds() -> tuple[str, ...]:
    """The territories with an occupancy limit, in board order. [MAP-04, MAP-15]"""
    return tuple(found.id for found in territories().values() if found.is_stronghold)


@cache
def victory_strongholds() -> tuple[str, ...]:
    """The strongholds that count for victory, in board order. [MENTAT-03]"""
    return tuple(found.id for found in territories().values() if found.victory_stronghold)


@cache
def cities() -> frozenset[str]:
    """The territories with ornithopters. [MAP-13]"""
    return frozenset(found.id for found in territories().values() if found.ornithopters)


@lru_cache(maxsize=4096)
def name(id: str) -> str:
    """The printed name of a faction, leader, card, spice card, territory or location, for prompts and the log."""
    face_id = face(id)
    for table in (factions(), leaders(), special_leaders(), treachery_cards(), spice_cards(), territories()):
        if face_id in table:
            return table[face_id].name
    if id in nexus_cards():
        return f"Nexus card {factions()[nexus_cards()[id].faction].name}"
    if id in locations():
        place = territory_of(id)
        return place.name if len(place.sectors) == 1 else f"{place.name} (sector {sector_of(id)})"
    return id.replace("_", " ")


def counted(number: int, thing: str) -> str:
    """A number with its thing, for prompts and the log: `1 force`, `3 forces`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


@cache
def player_circles() -> tuple[int, ...]:
    """The sectors at which the six player circles lie. [MAP-03]"""
    return tuple(_document("board")["board"]["player_circle_sectors"])


@cache
def shield_wall() -> tuple[str, tuple[str, ...]]:
    """The Shield Wall's territory id and those adjacent to it. [ATOMICS-03]"""
    wall = _document("board")["shield_wall"]
    return wall["territory"], tuple(wall["adjacent"])


@cache
def forces_placed(faction_id: str, mode: str) -> dict[str, int]:
    """Forces that the faction sheet puts on the board at the start: location id to number. [START-12, START-17]"""
    rows = _document("factions")["faction"]
    setup = next(row for row in rows if row["id"] == faction_id)["setup"]
    if mode == "advanced" and setup.get("advanced_choice", {}).get("replaces") == "placed":
        return {}
    return {place["location"]: place["normal"] for place in setup["placed"]}


@cache
def forces_of(faction_id: str, mode: str) -> dict[str, int]:
    """All forces of a faction in a mode, by kind: in the Basic game of the base set all are `regular`.

    [GEN-15, START-13]
    """
    elite = faction(faction_id).elite
    if elite is None or elite.mode not in ("basic", mode):
        return {"regular": FORCES}
    return {"regular": FORCES - elite.count, elite.kind: elite.count}


@cache
def kinds_on_board(faction_id: str, mode: str) -> frozenset[str]:
    """The kinds that a faction's forces may be of on the board. [START-13, BG-21]"""
    turned = faction(faction_id).other_side if mode == "advanced" else ""
    return frozenset((*forces_of(faction_id, mode), turned)) - {""}


def elite_kind(faction_id: str) -> str:
    """The kind of a faction's elite forces; empty if it has none. [START-13]"""
    elite = faction(faction_id).elite
    return elite.kind if elite else ""


@cache
def forces_chosen(faction_id: str) -> tuple[int, tuple[str, ...]]:
    """Forces that the player itself places at the start: the number and the allowed territories. [START-14]"""
    rows = _document("factions")["faction"]
    choice = next(row for row in rows if row["id"] == faction_id)["setup"].get("choice")
    return (choice["forces"], tuple(choice["where"])) if choice else (0, ())


@cache
def shield_wall_dependents() -> tuple[str, ...]:
    """The territories that lose their protection from storm with the Shield Wall. [MAP-07, ATOMICS-05]"""
    return tuple(_document("board")["shield_wall"]["loses_protection"])
