"""The play: the table as it is now, alive for one decision, and thrown away with it if the answer is refused."""

from __future__ import annotations

from typing import TypeVar

from services.rules.engine.chance import Chance
from services.rules.engine.rulings import ruling
from services.rules.engine.watching import watchers
from shared.dune.events import Event, evolve
from shared.dune.events.course import MarksCleared, MarkSet
from shared.dune.events.pieces import PilesGathered, Shuffled
from shared.dune.settings import Faction
from shared.dune.table import Piece, Table, zone

__all__ = ["Play"]

T = TypeVar("T")


class Play:
    """What a step works with: reads `table`, draws `chance`, and changes the table by `emit` alone."""

    def __init__(self, table: Table, chance: Chance) -> None:
        self.table = table
        self.chance = chance
        self.events: list[Event] = []

    def emit(self, *events: Event) -> None:
        """Record facts, fold them into the table, and let follow what follows from them at once."""
        for event in events:
            self.table = evolve(self.table, event)
            self.events.append(event)
            for watcher in watchers(type(event), self.table.settings.mode, self.table.settings.modules):
                watcher(self, event)

    def ruling(self, name: str) -> str:
        """The value of a named ruling in this game."""
        return ruling(self.table, name)

    def set_public(self, name: str, value: str | int | bool | tuple[str, ...]) -> None:
        """Remember a public fact."""
        self.emit(MarkSet(name, value, everybody=True))

    def set_secret(self, name: str, value: str | int | bool | tuple[str, ...], *seen_by: Faction) -> None:
        """Remember a fact that only the named factions may see (nobody if none is named)."""
        self.emit(MarkSet(name, value, seen_by=seen_by))

    def clear(self, *prefixes: str) -> None:
        """Forget public marks whose names begin so; nothing is recorded if there are none."""
        found = [p for p in prefixes if any(name.startswith(p) for name in self.table.marks)]
        if found:
            self.emit(MarksCleared(tuple(found)))

    def shuffle(self, name: str) -> None:
        """Shuffle a zone with the game's own chance. [START-20]"""
        self.emit(Shuffled(name, self.chance.shuffled(zone(self.table, name))))

    def top(self, deck: str, *discards: str) -> Piece | None:
        """The top piece of a deck; an empty one is first rebuilt from its discards; None if both are empty. [GEN-19]"""
        if not zone(self.table, deck) and any(zone(self.table, pile) for pile in discards):
            self.emit(PilesGathered(discards, deck))
            self.shuffle(deck)
        pieces = zone(self.table, deck)
        return pieces[0] if pieces else None
