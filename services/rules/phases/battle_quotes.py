"""What the Battle Phase computes through hooks; factions, cards and modules contribute, unknown to it."""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec import Struct

from services.rules.engine.hooks import Quote
from shared.dune.settings import Faction
from shared.dune.shapes import Need, Number, Option, Shape
from shared.dune.table import Kinds, Piece

__all__ = [
    "BattleTotal",
    "Explosion",
    "Fighters",
    "LeaderFate",
    "LeaderStrength",
    "LeaderWorth",
    "Narrow",
    "Plan",
    "PlanLimit",
    "PlanLimits",
    "PlanParts",
    "TraitorCallers",
]

Plan: TypeAlias = dict[str, str | int | None]
"""A battle plan as it was answered: `leader`, `dial`, `weapon`, `defense`, and what else the game adds.

[BATTLE-10, BATTLE-23]
"""


class Fighters(Quote, frozen=True, kw_only=True):
    """Which forces of a faction at a location can fight: `kinds` without those that cannot. [BATTLE-01]"""

    faction: Faction
    place: str
    kinds: Kinds


class PlanParts(Quote, frozen=True, kw_only=True):
    """The parts of a side's plan before anything limits it.

    `leaders`, `weapons` and `defenses` are what could fill those slots, `dial` what may be dialed; `more` are further
    fields, each with a shape.
    """

    faction: Faction
    opponent: Faction
    territory: str
    places: tuple[str, ...]
    leaders: tuple[Option, ...] = ()
    weapons: tuple[Option, ...] = ()
    defenses: tuple[Option, ...] = ()
    dial: Number
    more: dict[str, Shape] = {}
    needs: tuple[Need, ...] = ()
    labels: dict[str, str] = {}


class Narrow(Struct, frozen=True, kw_only=True):
    """A limit on one field of a plan: `only` these values, or `never` those, with the reason.

    `beats_leader_rule`: it holds even if the plan is left without a leader thereby. [BG-17] `shown` names the element
    that was shown and so is bound; one that has become impossible is shown anew. [ATR-40]
    """

    field: str
    only: tuple[str | int | None, ...] | None = None
    never: tuple[str | int | None, ...] = ()
    text: str = ""
    rule: str = ""
    beats_leader_rule: bool = False
    shown: str = ""

    def bars(self, value: str | int | None) -> bool:
        """Whether the limit rules a value of its field out."""
        return value in self.never or (self.only is not None and value not in self.only)


PlanLimit: TypeAlias = Narrow | Need


class PlanLimits(Quote, frozen=True, kw_only=True):
    """What binds a side's plan: a command, an element shown, a promise made to Truthtrance.

    Limits are taken in the order of their contributions, each as far as a plan that keeps all earlier ones can
    keep it too. [BG-12]
    Orders in use: 5 answers to Truthtrance, 10 Voice, 20 elements shown.
    """

    faction: Faction
    opponent: Faction
    territory: str
    limits: tuple[PlanLimit, ...] = ()

    def add(self, limit: PlanLimit) -> PlanLimits:
        """The quote with one more limit."""
        return msgspec.structs.replace(self, limits=(*self.limits, limit))


class LeaderStrength(Quote, frozen=True, kw_only=True):
    """The strength that a side's leader or Cheap Hero adds if it lives. [BATTLE-47]"""

    faction: Faction
    opponent: Faction
    leader: Piece
    plan: Plan


class LeaderFate(Quote, frozen=True, kw_only=True):
    """Whether a leader is killed (1) or lives (0), by the opponent's weapon and its own side's defense.

    [BATTLE-44, DEF-05]
    """

    faction: Faction
    leader: Piece
    weapon: Piece | None
    defense: Piece | None


class Explosion(Quote, frozen=True, kw_only=True):
    """Whether the cards of both plans together explode (1). [LASGUN-02]"""

    cards: tuple[Piece, ...]


class BattleTotal(Quote, frozen=True, kw_only=True):
    """A side's total in steps of the dial, of which `per` make one; it begins with the dial.

    `leader_lives` tells whether its leader counts. [BATTLE-46, BATTLE-47]
    """

    faction: Faction
    opponent: Faction
    plan: Plan
    leader_lives: bool
    per: int = 1


class LeaderWorth(Quote, frozen=True, kw_only=True):
    """The spice that a killed leader yields: its printed strength. [BATTLE-51]"""

    leader: Piece


class TraitorCallers(Quote, frozen=True, kw_only=True):
    """Who may call the opponent's leader a traitor for a side, and by which power (empty: with its own card).

    `plan` is the opponent's. [TRAITOR-01]
    """

    side: Faction
    opponent: Faction
    leader: Piece
    plan: Plan
    callers: dict[Faction, str]
