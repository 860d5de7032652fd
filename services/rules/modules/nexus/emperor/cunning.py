"""Cunning: five normal forces count as Sardaukar in one battle. [NEXUS-EMP-01..NEXUS-EMP-09]"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.factions.emperor import NAME
from services.rules.factions.emperor.sardaukar import SARDAUKAR
from services.rules.modules.nexus.battles import is_planning, own_clash
from services.rules.modules.nexus.holding import Mode
from services.rules.modules.nexus.plays import NexusPlay, nexus_play
from services.rules.phases.battle_grounds import Clash, number_of_kind
from services.rules.phases.battle_plan import clash_now
from services.rules.phases.battle_strength import CountedAs
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off
from shared.dune.table import Table

POWER = "nexus.emperor.sardaukar"
COUNTED = "battle.counted_as_sardaukar"
"""Public mark: how many normal forces of the Emperor count as Sardaukar in the battle being fought."""
NORMAL = "regular"
FIVE = 5
ADVANCED = ("advanced",)


@nexus_play
class CountAsSardaukar(NexusPlay):
    """Without Sardaukar of its own in a battle of its own, before its plan. [NEXUS-EMP-01, NEXUS-EMP-02]"""

    name: ClassVar[str] = "count_as_sardaukar"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "cunning"
    modes: ClassVar[tuple[str, ...]] = ADVANCED
    rule: ClassVar[str] = "NEXUS-EMP-01"
    label: ClassVar[str] = "Count five forces as Sardaukar in this battle"
    text: ClassVar[str] = "normal forces are to count as Sardaukar in this battle."

    def fields(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """Five normal forces are needed, by ruling as many as there are. [NEXUS-EMP-09]"""
        clash = own_clash(table, seat)
        if clash is None:
            return Off("This is played in a battle of your own.", "NEXUS-EMP-01")
        if number_of_kind(table, clash, NAME, SARDAUKAR):
            return Off("You have Sardaukar in this battle.", "NEXUS-EMP-01")
        if not _number(table):
            return Off("You have not five normal forces in this battle.", "NEXUS-EMP-09")
        return is_planning(seat, stack, "NEXUS-EMP-01") or Fields({})

    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow:
        """Announced, and answered once."""
        return Counting()


class Counting(Flow, tag="nexus.counting", frozen=True, omit_defaults=True):
    """One such use: announced, perhaps cancelled, in force for the battle. [NEXUS-EMP-06]"""

    def start(self, play: Play) -> Next:
        """A window of its own, besides that of real Sardaukar. [NEXUS-EMP-06]"""
        forces = facts.counted(_number(play.table), "normal force")
        text = f"{facts.name(NAME)} is about to count {forces} as Sardaukar in this battle."
        return self.call(cancel_window(POWER, NAME, text), then="count")

    def count(self, play: Play, outcome: Json) -> Next:
        """They count so until the battle is over. [NEXUS-EMP-03]"""
        if outcome is None and (number := _number(play.table)):
            play.set_public(COUNTED, number)
        return self.done()


def _number(table: Table) -> int:
    """How many normal forces would count as Sardaukar in the Emperor's battle: five, or none. [NEXUS-EMP-09]"""
    clash = own_clash(table, NAME)
    there = number_of_kind(table, clash, NAME, NORMAL) if clash else 0
    if there < FIVE and ruling(table, "nexus.emperor.cunning_short") == "require_five":
        return 0
    return min(there, FIVE)


@contributes(CountedAs, rule="NEXUS-EMP-03", modes=ADVANCED)
def some_count_as_sardaukar(counted: CountedAs, table: Table) -> CountedAs:
    """In this battle alone their strength and their support are those of Sardaukar. [NEXUS-EMP-03, NEXUS-EMP-04]"""
    number = table.count(COUNTED)
    if counted.side != NAME or not number or not _is_fought(table, counted.clash):
        return counted
    return msgspec.structs.replace(counted, counted={**counted.counted, NORMAL: (SARDAUKAR, number)})


def _is_fought(table: Table, clash: Clash) -> bool:
    """Whether a battle is the one being fought, whichever side it is looked at from."""
    now = clash_now(table)
    return now is not None and (set(now.sides), now.places) == (set(clash.sides), clash.places)
