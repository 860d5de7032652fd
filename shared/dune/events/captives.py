"""Events of captured leaders: which one it is, only its captor and its owner know until it is used. [SECRET-09]"""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.events.pieces import hidden_cycle, moved_on
from shared.dune.settings import Faction
from shared.dune.table import Mark, Piece, Table, mark, move_piece, reorder
from shared.dune.zones import captives_of

__all__ = ["CaptiveKilled", "CaptiveReturned", "LeaderCaptured"]


class _OfACaptive(Event, frozen=True):
    """What happens to a captured leader; `shown`: everybody sees which."""

    captor: Faction
    victim: Faction
    leader: Piece
    shown: bool = False

    public: ClassVar = ("captor", "victim")
    private: ClassVar = {"captor": ("leader",), "victim": ("leader",)}

    def fields_for(self, audience: str) -> tuple[str, ...]:
        """Two know which leader it is, or all do."""
        return (*self.public, "leader") if self.shown else Event.fields_for(self, audience)

    @property
    def held_in(self) -> str:
        """The zone in which it is held."""
        return captives_of(self.victim, self.captor, self.shown)


class LeaderCaptured(_OfACaptive, tag=True, frozen=True):
    """A leader was drawn from those of the beaten side, and is now its captor's. [HARK-09, HARK-13]"""

    lines: ClassVar = ("{captor} captures {leader} of {victim}.", "{captor} captures a leader of {victim}.")

    def apply(self, table: Table) -> Table:
        return move_piece(table, self.leader, f"leaders.{self.victim}", self.held_in)


class CaptiveReturned(_OfACaptive, tag=True, frozen=True):
    """A captive is its owner's again. [HARK-15, HARK-16] It takes its old place, so that nobody sees which it was."""

    open_prison: bool = False

    lines: ClassVar = (
        "{leader} returns from {captor} to {victim}.",
        "A captive returns from {captor} to {victim}.",
    )

    @property
    def held_in(self) -> str:
        """The zone in which it was held; who is shown on its return may have been hidden before."""
        return captives_of(self.victim, self.captor, self.open_prison)

    def apply(self, table: Table) -> Table:
        pool = f"leaders.{self.victim}"
        table = move_piece(table, self.leader, self.held_in, pool)
        known = facts.leaders_of(self.victim)
        return reorder(table, pool, tuple(sorted(table.zones[pool], key=known.index)))


class CaptiveKilled(_OfACaptive, tag=True, frozen=True):
    """A captive is killed: face down to its owner's tanks. `steps`: how far it moves on in the revival cycle.

    [HARK-12, HARK-21]
    """

    steps: int = 1
    open_prison: bool = False

    lines: ClassVar = (
        "{captor} kills {leader} of {victim}.",
        "{captor} kills the captured leader of {victim}.",
    )

    @property
    def held_in(self) -> str:
        """The zone in which it was held."""
        return captives_of(self.victim, self.captor, self.open_prison)

    def apply(self, table: Table) -> Table:
        if self.shown:
            down = f"tanks_down.{self.victim}"
            return moved_on(move_piece(table, self.leader, self.held_in, down), self.leader, self.steps)
        down = f"tanks_hidden.{self.victim}.{self.captor}"
        table = move_piece(table, self.leader, self.held_in, down)
        return mark(table, hidden_cycle(self.leader), Mark(self.steps, (self.captor, self.victim)))
