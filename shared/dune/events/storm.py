"""Events of the Storm Phase."""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Mark, Piece, Table, mark, move_piece, zone

STORM_DECK, STORM_NEXT, STORM_SHOWN = "storm_deck", "storm_next", "storm_shown"
"""Zones of the storm cards: the deck, the card that lies face down for the next turn, the one that is shown."""


def storm_seen(faction: Faction) -> str:
    """The zone of the next storm card when a faction has looked at it: nobody else knows it. [FRE-21]"""
    return f"storm_seen.{faction}"


def next_storm_card(table: Table) -> tuple[Piece, str] | None:
    """The storm card drawn for the next storm, and the zone in which it lies; None if none is drawn. [STORM-07]"""
    for name in (STORM_NEXT, *map(storm_seen, table.seats)):
        if cards := zone(table, name):
            return cards[0], name
    return None


class StormCardDrawn(Event, tag=True, frozen=True):
    """A storm card is drawn face down for the next turn; nobody sees which. [STORM-07]"""

    card: Piece
    turn: int

    public: ClassVar = ("turn",)
    lines: ClassVar = ("The storm card for turn {turn} is drawn face down.",)

    def apply(self, table: Table) -> Table:
        return move_piece(table, self.card, STORM_DECK, STORM_NEXT)


class StormCardSeen(Event, tag=True, frozen=True):
    """A faction looks at the storm card of the next turn. [FRE-21]"""

    faction: Faction
    card: Piece

    public: ClassVar = ("faction",)
    private: ClassVar = {"faction": ("card",)}
    lines: ClassVar = (
        "{faction} sees the next storm card: {card}.",
        "{faction} looks at the next storm card.",
    )

    def apply(self, table: Table) -> Table:
        return move_piece(table, self.card, STORM_NEXT, storm_seen(self.faction))


class StormCardRevealed(Event, tag=True, frozen=True):
    """The storm card drawn last turn is revealed: the storm moves by it. [STORM-06]"""

    card: Piece

    public: ClassVar = ("card",)
    lines: ClassVar = ("The storm card is revealed: {card}.",)

    def apply(self, table: Table) -> Table:
        drawn = next_storm_card(table)
        source = drawn[1] if drawn else STORM_NEXT
        return move_piece(table, self.card, source, STORM_SHOWN)


class StormDialed(Event, tag=True, frozen=True):
    """A dial is revealed. [STORM-05, SECRET-07]"""

    faction: Faction
    number: int

    public: ClassVar = ("faction", "number")
    lines: ClassVar = ("{faction} dialed {number}.",)


class StormDistanceSet(Event, tag=True, frozen=True):
    """The number of sectors that the storm will move is known. [STORM-09]"""

    distance: int

    public: ClassVar = ("distance",)

    def sentences(self) -> tuple[str, ...]:
        return (f"The storm will move {facts.counted(self.distance, 'sector')}.",)

    def apply(self, table: Table) -> Table:
        return mark(table, "phase.storm_distance", Mark(self.distance, public=True))


class ShieldWallDestroyed(Event, tag=True, frozen=True):
    """The Shield Wall falls: what it sheltered is open to storm for the rest of the game. [ATOMICS-05]"""

    by: Faction

    public: ClassVar = ("by",)
    lines: ClassVar = ("{by} destroys the Shield Wall.",)

    def apply(self, table: Table) -> Table:
        return mark(table, "shield_wall_destroyed", Mark(True, public=True))
