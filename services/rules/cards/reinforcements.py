"""Reinforcements: two more on the dial, for three forces from reserves. [E3C-06, E3C-07, E3C-12]"""

from __future__ import annotations

import msgspec

from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.phases.battle_quotes import BattleTotal, PlanParts
from services.rules.phases.groups import normal_first, taken
from shared.dune import facts
from shared.dune.events.forces import ForcesKilled
from shared.dune.settings import Faction
from shared.dune.shapes import Json, Option
from shared.dune.table import RESERVES, Table, zone

CARD = "reinforcements"
STRENGTH = 2
FORCES = 3


def in_plan(table: Table, side: Faction, card: str) -> bool:
    """Whether a card of this face lies in a side's revealed plan."""
    return any(facts.face(piece) == card for piece in zone(table, f"plan.{side}"))


def _in_reserves(table: Table, side: Faction) -> int:
    return table.number_at(RESERVES, side)


@contributes(PlanParts, rule="E3C-06", order=60)
def needs_reserves(parts: PlanParts, table: Table) -> PlanParts:
    """It can be played only with three forces in reserves. [E3C-06]"""
    if _in_reserves(table, parts.faction) >= FORCES:
        return parts
    return msgspec.structs.replace(parts, weapons=_without(parts.weapons), defenses=_without(parts.defenses))


def _without(cards: tuple[Option, ...]) -> tuple[Option, ...]:
    why = f"You have fewer than {FORCES} forces in reserves."
    return tuple(
        msgspec.structs.replace(card, off=why, rule="E3C-06") if facts.face(str(card.value)) == CARD else card
        for card in cards
    )


@contributes(BattleTotal, rule="E3C-06", order=30)
def two_more(total: BattleTotal, table: Table) -> BattleTotal:
    """They count as if dialed. [E3C-06, E3C-08]"""
    cards = (total.plan.get("weapon"), total.plan.get("defense"))
    if not any(isinstance(card, str) and facts.face(card) == CARD for card in cards):
        return total
    return total.step(total.value + STRENGTH * total.per, f"Reinforcements {STRENGTH}", "E3C-06")


@at("battle.before_result", rule="E3C-07", order=30)
def forces_are_due(table: Table, subject: Json) -> Flow | None:
    """Whatever comes of the battle, unless its player is the only one to call a traitor. [E3C-07, TRAITOR-03]"""
    calls = subject["calls"]
    spared = ruling(table, "reinforcements_after_traitor") == "caller_exempt"
    due = [
        side
        for side in (subject["aggressor"], subject["defender"])
        if in_plan(table, side, CARD) and not (spared and set(calls) == {side})
    ]
    return SendReinforcements(tuple(due)) if due else None


class SendReinforcements(Flow, tag="reinforcements", frozen=True, omit_defaults=True):
    """Three forces go from reserves to the tanks, ordinary ones first. [E3C-07]"""

    sides: tuple[Faction, ...]

    def start(self, play: Play) -> Next:
        """At once, without a choice."""
        for side in self.sides:
            held = normal_first(play.table.kinds_at(RESERVES, side))
            play.emit(ForcesKilled(side, taken(held, FORCES), RESERVES, "reinforcements"))
        return self.done()
