"""Cunning and Secret Ally: an element of the opponent's plan. [NEXUS-ATR-16..NEXUS-ATR-30]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Frame
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.watching import watches
from services.rules.factions.atreides import NAME
from services.rules.factions.atreides.prescience import PRESCIENCE, Prescience
from services.rules.modules.nexus.battles import is_planning, own_clash
from services.rules.modules.nexus.holding import Mode
from services.rules.modules.nexus.plays import NexusPlay, nexus_play
from services.rules.phases.battle_fight import Battle
from services.rules.phases.battle_plan import clash_now, committed_plan
from services.rules.phases.battle_shown import ELEMENTS, sealed_element
from shared.dune.events.battle import ElementShown
from shared.dune.events.cards import PowerCancelled
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, OneOf, Option
from shared.dune.table import Table

POWER = "nexus.atreides.second_element"
FIRST = "battle.prescience"
"""Public mark: how Prescience went in this battle: the element that was answered, or `CANCELLED`."""
CANCELLED = "cancelled"


@watches(ElementShown, rule="NEXUS-ATR-17")
def first_was_answered(play: Play, shown: ElementShown) -> None:
    """Which element Atreides was shown first; what others were shown, or more, is no matter. [NEXUS-ATR-17]"""
    if shown.seer == NAME and not play.table.is_set(FIRST):
        play.set_public(FIRST, shown.element)


@watches(PowerCancelled, rule="NEXUS-ATR-21")
def first_was_cancelled(play: Play, cancelled: PowerCancelled) -> None:
    """The question was asked, and stopped before it was answered. [NEXUS-ATR-10, NEXUS-ATR-21]"""
    if cancelled.power == PRESCIENCE and clash_now(play.table) is not None:
        play.set_public(FIRST, CANCELLED)


class Inspection(NexusPlay):
    """Base of both: one element, chosen while one's own plan is still to be made. [NEXUS-ATR-09]"""

    native: ClassVar[Faction] = NAME
    power: ClassVar[str] = ""

    def fields(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """Which element, in a battle of one's own."""
        if own_clash(table, seat) is None:
            return Off("This is played in a battle of your own.", self.rule)
        options = self.elements(table)
        if isinstance(options, Off):
            return options
        if off := is_planning(seat, stack, self.rule):
            return off
        shape = OneOf(tuple(Option(element, element.capitalize()) for element in options))
        return Fields({"element": shape}, labels={"element": "Element"})

    def elements(self, table: Table) -> tuple[str, ...] | Off:
        """What may be asked for."""
        return ELEMENTS

    def remembers(self, stack: tuple[Frame, ...], seat: Faction) -> dict[str, Json]:
        """The plan that the opponent has committed, which answers by itself. [NEXUS-ATR-30]"""
        battle = next((f.flow for f in reversed(stack) if isinstance(f.flow, Battle)), None)
        plan = committed_plan(stack, battle.clash.opponent(seat)) if battle else None
        return {"sealed": plan} if plan else {}

    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow:
        """Ask for it, as Prescience does. [NEXUS-ATR-06, NEXUS-ATR-11]"""
        clash = own_clash(play.table, seat)
        assert clash is not None
        element, plan = answer["element"], answer.get("sealed")
        return Prescience(
            clash,
            clash.opponent(seat),
            element,
            seer=seat,
            power=self.power,
            means="by a Nexus card",
            answered=sealed_element(play.table, plan, element) if plan else "",
        )


@nexus_play
class SecondElement(Inspection):
    """Atreides is shown another element of its own opponent's plan. [NEXUS-ATR-16, NEXUS-ATR-18, NEXUS-ATR-20]"""

    name: ClassVar[str] = "second_element"
    mode: ClassVar[Mode] = "cunning"
    rule: ClassVar[str] = "NEXUS-ATR-16"
    label: ClassVar[str] = "See a second element of your opponent's plan"
    text: ClassVar[str] = "it asks for a second element of its opponent's plan."
    power: ClassVar[str] = POWER

    def elements(self, table: Table) -> tuple[str, ...] | Off:
        """Another one than Prescience has shown; after a cancelled question none, or any by ruling.

        [NEXUS-ATR-17, NEXUS-ATR-18, NEXUS-ATR-19, NEXUS-ATR-21]
        """
        first = table.value(FIRST)
        if not first:
            return Off("Prescience has shown you no element in this battle.", "NEXUS-ATR-17")
        if first == CANCELLED and ruling(table, "nexus.atr.cunning_after_cancelled_first") == "refuse":
            return Off("Your first question in this battle was cancelled.", "NEXUS-ATR-21")
        return tuple(element for element in ELEMENTS if element != first)


@nexus_play
class OneElement(Inspection):
    """Who holds the card of an absent Atreides is shown one element, and nothing can cancel it.

    [NEXUS-ATR-24, NEXUS-ATR-25, NEXUS-ATR-26, NEXUS-ATR-27]
    """

    name: ClassVar[str] = "one_element"
    mode: ClassVar[Mode] = "secret_ally"
    rule: ClassVar[str] = "NEXUS-ATR-24"
    label: ClassVar[str] = "See one element of your opponent's plan"
    text: ClassVar[str] = "it asks for one element of its opponent's plan."
