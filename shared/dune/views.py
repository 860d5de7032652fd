"""Seats see views: built from what zones, marks and events declare visible, never by deleting from the table.

A field nobody declared is not sent. The same function serves players, spectators and the replay after the end
(which has its own audience, `replay`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol, TypeAlias

import msgspec
from msgspec import Struct

from shared.dune import facts
from shared.dune.events.base import SPECTATOR
from shared.dune.offers import Offer, Standing, Waiting
from shared.dune.settings import Faction, Settings
from shared.dune.table import RESERVES, TANKS, Piece, Result, Table
from shared.dune.zones import kind_of, owner_of, parties_of, veiled_by

__all__ = [
    "REPLAY",
    "SPECTATOR",
    "Asked",
    "FactionView",
    "PlaceView",
    "SeatView",
    "Shown",
    "encode_view",
    "shown",
    "view",
    "view_of",
]

Value: TypeAlias = str | int | bool | tuple[str, ...]

REPLAY = "replay"
"""The audience that may see everything, once the game is over."""


class PlaceView(Struct, frozen=True, omit_defaults=True):
    """What stands openly at a location."""

    forces: dict[Faction, dict[str, int]] = {}
    spice: int = 0


class FactionView(Struct, frozen=True, omit_defaults=True):
    """The public facts of one faction. `cards` is None while hand counts are not public. [SECRET-03, SECRET-04]"""

    circle: int
    reserves: dict[str, int] = {}
    tanks: dict[str, int] = {}
    ally: Faction | None = None
    bribes: int = 0
    cards: int | None = None


class SeatView(Struct, frozen=True, omit_defaults=True):
    """All that one audience may know now. `seat` is None for a spectator.

    `zones`: the pieces of every zone that it may see; `counts`: sizes of zones whose number is public; `marks`:
    the remembered facts for it; `memory`: what it was lawfully shown (`what=piece`, oldest first); `spice`: its
    own behind the shield (in the replay, everybody's); `leader_cycle`: deaths and revivals so far; `offers` and
    `standing`: its own questions.
    """

    seat: Faction | None
    settings: Settings
    turn: int
    phase: str
    storm: int
    order: tuple[Faction, ...] = ()
    places: dict[str, PlaceView] = {}
    factions: dict[Faction, FactionView] = {}
    zones: dict[str, tuple[Piece, ...]] = {}
    counts: dict[str, int] = {}
    marks: dict[str, Value] = {}
    memory: tuple[str, ...] = ()
    spice: dict[str, int] = {}
    leader_cycle: dict[Piece, int] = {}
    offers: tuple[Offer, ...] = ()
    standing: tuple[Standing, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    result: Result | None = None


class Asked(Protocol):
    """Whoever knows the open questions: a checkpoint, or a game that is being played."""

    @property
    def open(self) -> tuple[Offer, ...]:
        """The open offers."""

    @property
    def standing(self) -> tuple[Standing, ...]:
        """The standing offers, in short."""

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """Whom the game waits for."""


class Shown(Struct, frozen=True):
    """One table as it is shown: what everybody sees, and what each faction sees beside that.

    All audiences share it, and what did not change since the table before is the same object, so that comparing two
    views costs little.
    """

    table: Table
    places: dict[str, PlaceView]
    factions: dict[Faction, FactionView]
    zones: dict[str, tuple[Piece, ...]]
    own_zones: dict[str, dict[str, tuple[Piece, ...]]]
    counts: dict[str, int]
    marks: dict[str, Value]
    own_marks: dict[Faction, dict[str, Value]]


def shown(table: Table, before: Shown | None = None) -> Shown:
    """What a table shows; `before` is that of an earlier table, from which is taken whatever did not change."""
    if before is None:
        before = _NOTHING
    elif before.table is table:
        return before
    old = before.table
    zones, own_zones, counts = before.zones, before.own_zones, before.counts
    if table.zones is not old.zones or table.phase != old.phase:
        zones, own_zones, counts = _zones(table)
    marks, own_marks = before.marks, before.own_marks
    if table.marks is not old.marks:
        marks, own_marks = _marks(table)
    places = before.places
    if table.forces is not old.forces or table.spice is not old.spice:
        places = _places(table, before.places)
    factions = before.factions
    if any(getattr(table, name) is not getattr(old, name) for name in _OF_FACTIONS):
        factions = {seat: _faction(table, seat, before.factions.get(seat)) for seat in table.seats}
    return Shown(table, places, factions, zones, own_zones, counts, marks, own_marks)


def view(table: Table, asked: Asked, audience: str) -> SeatView:
    """What an audience (a faction in play, `spectator`, or `replay` once the game is over) may see."""
    global _latest
    _latest = now = shown(table, _latest)
    if audience == REPLAY and table.result is not None:
        return _replay(now, asked.waiting)
    offers = tuple([offer for offer in asked.open if offer.seat == audience])
    standing = tuple([offer for offer in asked.standing if offer.seat == audience])
    return view_of(now, audience, offers, standing, asked.waiting)


def view_of(
    now: Shown,
    audience: str,
    offers: tuple[Offer, ...],
    standing: tuple[Standing, ...],
    waiting: tuple[Waiting, ...],
) -> SeatView:
    """The view of an audience with its own questions; whoever is no faction in play sees what everybody sees."""
    table = now.table
    zones, marks = now.zones, now.marks
    seat = audience if audience in table.seats else None
    if seat is None:
        return _assembled(now, None, (zones, marks, (), {}), (), (), waiting)
    if own := now.own_zones.get(seat):
        zones = {**zones, **own}
    if told := now.own_marks.get(seat):
        marks = {**marks, **told}
    memory = _faces(table.memory.get(seat, ()))
    return _assembled(
        now, seat, (zones, marks, memory, {seat: table.spice_of(seat)}), offers, standing, waiting
    )


def _replay(now: Shown, waiting: tuple[Waiting, ...]) -> SeatView:
    """Everything that lay hidden: all zones, all marks, everybody's spice."""
    table = now.table
    zones = {name: _as_seen(name, pieces) for name, pieces in table.zones.items()}
    marks = {name: _told(held.value) for name, held in table.marks.items()}
    spice = {faction: table.spice_of(faction) for faction in table.seats}
    return _assembled(now, None, (zones, marks, (), spice), (), (), waiting)


Parts: TypeAlias = tuple[dict[str, tuple[Piece, ...]], dict[str, Value], tuple[str, ...], dict[str, int]]
"""What differs between audiences: zones, marks, memory and spice."""


def _assembled(
    now: Shown,
    seat: Faction | None,
    parts: Parts,
    offers: tuple[Offer, ...],
    standing: tuple[Standing, ...],
    waiting: tuple[Waiting, ...],
) -> SeatView:
    table = now.table
    zones, marks, memory, spice = parts
    return SeatView(
        seat=seat,
        settings=table.settings,
        turn=table.turn,
        phase=table.phase,
        storm=table.storm,
        order=table.order,
        places=now.places,
        factions=now.factions,
        zones=zones,
        counts=now.counts,
        marks=marks,
        memory=memory,
        spice=spice,
        leader_cycle=table.leader_cycle,
        offers=offers,
        standing=standing,
        waiting=waiting,
        result=table.result,
    )


def encode_view(shown: SeatView) -> bytes:
    """The canonical JSON of a view: equal views are equal to the byte."""
    return msgspec.json.encode(shown, order="sorted")


def _places(table: Table, before: dict[str, PlaceView]) -> dict[str, PlaceView]:
    forces, spice, board = table.forces, table.spice, facts.locations()
    taken = sorted((place for place in {**forces, **spice} if place in board), key=facts.board_order)
    places: dict[str, PlaceView] = {}
    for place in taken:
        here, lying, old = forces.get(place, _NO_FORCES), spice.get(place, 0), before.get(place)
        same = old is not None and old.forces is here and old.spice == lying
        places[place] = old if same and old is not None else PlaceView(here, lying)
    return places


_NO_FORCES: dict[Faction, dict[str, int]] = {}


def _faction(table: Table, faction: Faction, before: FactionView | None) -> FactionView:
    circles = table.settings.circles
    number = table.seats.index(faction)
    now = FactionView(
        circle=circles[number] if number < len(circles) else 0,
        reserves=table.forces.get(RESERVES, _NO_FORCES).get(faction, _NONE),
        tanks=table.forces.get(TANKS, _NO_FORCES).get(faction, _NONE),
        ally=table.allies.get(faction),
        bribes=table.spice.get(f"bribe.{faction}", 0),
        cards=len(table.hand(faction)) if _sees_count(table, f"hand.{faction}") else None,
    )
    return before if before is not None and before == now else now


_NONE: dict[str, int] = {}
_OF_FACTIONS = ("forces", "spice", "allies", "zones", "phase", "settings")
"""Fields of a table from which the public facts of its factions are made."""


def _zones(
    table: Table,
) -> tuple[dict[str, tuple[Piece, ...]], dict[str, dict[str, tuple[Piece, ...]]], dict[str, int]]:
    """The zones that everybody sees, those that only their owner does, and the sizes that are public."""
    everybody: dict[str, tuple[Piece, ...]] = {}
    own: dict[str, dict[str, tuple[Piece, ...]]] = {}
    counts: dict[str, int] = {}
    for name, pieces in table.zones.items():
        kind = kind_of(name)
        if kind.visibility == "public":
            everybody[name] = _faces(pieces)
        elif kind.visibility == "owner":
            own.setdefault(owner_of(name), {})[name] = pieces
        elif kind.visibility == "parties":
            for party in parties_of(name):
                own.setdefault(party, {})[name] = pieces
        if kind.counted in ("always", table.phase):
            counts[name] = len(pieces)
    _veil(table, everybody, own)
    return everybody, own, counts


def _veil(
    table: Table, everybody: dict[str, tuple[Piece, ...]], own: dict[str, dict[str, tuple[Piece, ...]]]
) -> None:
    """To all but the parties, veiled pieces seem to lie where they lay before, in an order that tells nothing."""
    for name, pieces in table.zones.items():
        if seems := veiled_by(name):
            shown = (*everybody.get(seems, ()), *pieces)
            order = facts.leaders_of(parties_of(name)[0])
            everybody[seems] = tuple(sorted(shown, key=order.index))
            for party in parties_of(name):
                own[party][seems] = table.zones.get(seems, ())


def _marks(table: Table) -> tuple[dict[str, Value], dict[Faction, dict[str, Value]]]:
    """The marks that everybody sees, and those that only the named factions do."""
    everybody: dict[str, Value] = {}
    own: dict[Faction, dict[str, Value]] = {}
    for name, held in table.marks.items():
        if held.public:
            everybody[name] = _told(held.value)
            continue
        for faction in held.seen_by:
            own.setdefault(faction, {})[name] = _told(held.value)
    return everybody, own


@lru_cache(maxsize=4096)
def _faces(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Pieces without the numbers of their copies; the same pieces give the same object. [SECRET-05]"""
    return tuple(map(facts.unnumbered, pieces))


def _as_seen(name: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The pieces of a zone: an owner tells its own copies of a card apart, nobody those of others. [SECRET-05]"""
    return pieces if kind_of(name).visibility == "owner" else _faces(pieces)


def _told(value: Value) -> Value:
    """A mark's value without the numbers of copies."""
    if isinstance(value, tuple):
        return _faces(value)
    return facts.unnumbered(value) if isinstance(value, str) else value


def _sees_count(table: Table, name: str) -> bool:
    return kind_of(name).counted in ("always", table.phase)


_NOTHING = Shown(Table(), {}, {}, {}, {}, {}, {}, {})
_latest = _NOTHING
"""The table that was looked at last: whoever looks next, looks at the same or at one that followed from it."""
