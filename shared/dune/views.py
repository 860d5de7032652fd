"""Seats see views: built from what zones, marks and events declare visible, never by deleting from the table.

A field nobody declared is not sent. The same function serves players, spectators and the replay after the end
(which has its own audience, `replay`).
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from shared.dune import facts
from shared.dune.events.base import SPECTATOR
from shared.dune.offers import Checkpoint, Offer, Standing, Waiting
from shared.dune.settings import Faction, Settings
from shared.dune.table import RESERVES, TANKS, Piece, Result, Table
from shared.dune.zones import kind_of, owner_of

__all__ = ["REPLAY", "SPECTATOR", "FactionView", "PlaceView", "SeatView", "encode_view", "view"]

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
    marks: dict[str, str | int | bool | tuple[str, ...]] = {}
    memory: tuple[str, ...] = ()
    spice: dict[str, int] = {}
    leader_cycle: dict[Piece, int] = {}
    offers: tuple[Offer, ...] = ()
    standing: tuple[Standing, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    result: Result | None = None


def view(table: Table, checkpoint: Checkpoint, audience: str) -> SeatView:
    """What an audience (a faction in play, `spectator`, or `replay` once the game is over) may see."""
    everything = audience == REPLAY and table.result is not None
    seat = audience if audience in table.seats else None
    return SeatView(
        seat=seat,
        settings=table.settings,
        turn=table.turn,
        phase=table.phase,
        storm=table.storm,
        order=table.order,
        places=_places(table),
        factions={faction: _faction(table, faction) for faction in table.seats},
        zones={
            name: _as_seen(name, pieces)
            for name, pieces in table.zones.items()
            if everything or _sees_zone(name, seat)
        },
        counts={name: len(pieces) for name, pieces in table.zones.items() if _sees_count(table, name)},
        marks={
            n: _told(m.value) for n, m in table.marks.items() if everything or m.public or (seat in m.seen_by)
        },
        memory=tuple(map(facts.unnumbered, table.memory.get(seat, ()))) if seat else (),
        spice={f: table.spice_of(f) for f in table.seats if everything or f == seat},
        leader_cycle=table.leader_cycle,
        offers=tuple(offer for offer in checkpoint.open if offer.seat == seat),
        standing=tuple(offer for offer in checkpoint.standing if offer.seat == seat),
        waiting=checkpoint.waiting,
        result=table.result,
    )


def encode_view(shown: SeatView) -> bytes:
    """The canonical JSON of a view: equal views are equal to the byte."""
    return msgspec.json.encode(shown, order="sorted")


def _places(table: Table) -> dict[str, PlaceView]:
    forces, spice = table.forces, table.spice
    taken = [place for place in facts.locations() if place in forces or place in spice]
    return {place: PlaceView(forces.get(place, {}), spice.get(place, 0)) for place in taken}


def _faction(table: Table, faction: Faction) -> FactionView:
    return FactionView(
        circle=dict(zip(table.seats, table.settings.circles, strict=False)).get(faction, 0),
        reserves=table.kinds_at(RESERVES, faction),
        tanks=table.kinds_at(TANKS, faction),
        ally=table.ally_of(faction),
        bribes=table.spice_of(f"bribe.{faction}"),
        cards=len(table.hand(faction)) if _sees_count(table, f"hand.{faction}") else None,
    )


def _sees_zone(name: str, seat: Faction | None) -> bool:
    kind = kind_of(name)
    return kind.visibility == "public" or (
        kind.visibility == "owner" and seat is not None and owner_of(name) == seat
    )


def _as_seen(name: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The pieces of a zone: an owner tells its own copies of a card apart, nobody those of others. [SECRET-05]"""
    return pieces if kind_of(name).visibility == "owner" else tuple(map(facts.unnumbered, pieces))


def _told(value: str | int | bool | tuple[str, ...]) -> str | int | bool | tuple[str, ...]:
    """A mark's value without the numbers of copies."""
    if isinstance(value, tuple):
        return tuple(map(facts.unnumbered, value))
    return facts.unnumbered(value) if isinstance(value, str) else value


def _sees_count(table: Table, name: str) -> bool:
    return kind_of(name).counted in ("always", table.phase)
