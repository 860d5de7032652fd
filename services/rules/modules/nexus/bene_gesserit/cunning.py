"""Cunning: advisors become fighters in the middle of one's own turn of action. [NEXUS-BG-01..NEXUS-BG-25]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.factions.bene_gesserit import NAME
from services.rules.factions.bene_gesserit.lock import locked_in
from services.rules.factions.bene_gesserit.sides import (
    ADVANCED,
    ADVISOR,
    FIGHTER,
    advisors_in,
    ally_is_in,
    may_hold_fighters,
    turn_all,
)
from services.rules.modules.nexus.holding import Mode
from services.rules.modules.nexus.plays import NexusPlay, nexus_play
from services.rules.phases.movement import Moving
from services.rules.phases.shipment_flow import Shipping
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, ManyOf, Off, Option
from shared.dune.table import Kinds, Table

POWER = "nexus.bene_gesserit.fighters"


@nexus_play
class TurnAdvisors(NexusPlay):
    """Any of one's advisors, whole territories at a time, in place. [NEXUS-BG-01..NEXUS-BG-05]"""

    name: ClassVar[str] = "turn_advisors"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "cunning"
    modes: ClassVar[tuple[str, ...]] = ADVANCED
    rule: ClassVar[str] = "NEXUS-BG-01"
    label: ClassVar[str] = "Turn advisors into fighters"
    text: ClassVar[str] = "advisors are to become fighters."

    def fields(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """Which territories; between the steps of one's own turn of action alone. [NEXUS-BG-03, NEXUS-BG-07]"""
        options = _options(table)
        if all(option.off for option in options):
            return Off("No advisors of yours can become fighters.", "NEXUS-BG-07")
        flow = stack[-1].flow
        is_own = isinstance(flow, Shipping | Moving) and flow.faction == seat
        if not is_own or not stack[-1].is_waiting:
            return Off("This is played in your own turn of shipment and movement.", "NEXUS-BG-03")
        return Fields({"territories": ManyOf(options, least=1)}, labels={"territories": "Territories"})

    def told(self, table: Table, seat: Faction, answer: Json) -> str:
        """Each territory with its number of advisors. [NEXUS-BG-25]"""
        return f"{_named(table, answer['territories'])} are to become fighters."

    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow:
        """They turn together, or not at all."""
        territories = tuple(answer["territories"])
        groups = {place: kinds for one in territories for place, kinds in _groups(play.table, one).items()}
        return Turning(territories, groups)


class Turning(Flow, tag="nexus.turning", frozen=True, omit_defaults=True):
    """One set of territories: announced, perhaps cancelled as a whole, turned. [NEXUS-BG-14, NEXUS-BG-15]

    `groups` is what stood there, by location and kind, when it was announced. [NEXUS-BG-22]
    """

    territories: tuple[str, ...]
    groups: dict[str, Kinds]

    def start(self, play: Play) -> Next:
        """One question for the whole set. [NEXUS-BG-14]"""
        text = f"{facts.name(NAME)} is about to turn {_named(play.table, self.territories)} into fighters."
        window = cancel_window(POWER, NAME, text, territories=", ".join(self.territories))
        return self.call(window, then="turn")

    def turn(self, play: Play, outcome: Json) -> Next:
        """If all is as it was and may be, all of them; else none. [NEXUS-BG-06, NEXUS-BG-15, NEXUS-BG-16]"""
        if outcome is None and self._still_holds(play.table):
            for territory in self.territories:
                turn_all(play, territory, FIGHTER, "by its Nexus card")
        return self.done()

    def _still_holds(self, table: Table) -> bool:
        """Whether the same advisors stand there, and each territory may be held by fighters. [NEXUS-BG-12]"""
        legal = [option.value for option in _options(table) if not option.off]
        now = {place: kinds for one in self.territories for place, kinds in _groups(table, one).items()}
        return now == self.groups and all(territory in legal for territory in self.territories)


def _groups(table: Table, territory: str) -> dict[str, Kinds]:
    """Own forces in a territory, by location and kind."""
    found = {place: table.kinds_at(place, NAME) for place in facts.locations_of(territory)}
    return {place: dict(kinds) for place, kinds in found.items() if kinds.get(ADVISOR)}


def _named(table: Table, territories: list[str] | tuple[str, ...]) -> str:
    parts = [
        f"{facts.counted(advisors_in(table, one), 'advisor')} in {facts.name(one)}" for one in territories
    ]
    return " and ".join(parts)


def _options(table: Table) -> tuple[Option, ...]:
    """The territories with advisors, and why those of some may not turn. [NEXUS-BG-07, NEXUS-BG-12]"""
    held = [territory for territory in facts.territories() if advisors_in(table, territory)]
    return tuple(Option(territory, facts.name(territory), *_bar(table, territory)) for territory in held)


def _bar(table: Table, territory: str) -> tuple[str, str]:
    """Why the advisors of a territory may not turn by this card; empty if they may. [NEXUS-BG-12, NEXUS-BG-18..20]"""
    if ally_is_in(table, territory):
        return "Your ally has forces there.", "NEXUS-BG-12"
    if not may_hold_fighters(table, territory):
        return "Two other players hold this stronghold.", "NEXUS-BG-12"
    fresh = ruling(table, "nexus.bg.cunning_fresh") == "respect_arrival_lock"
    if fresh and locked_in(table, territory):
        return "Some of them came along with others this turn.", "NEXUS-BG-18"
    stormy = any(table.in_storm(place) for place in _groups(table, territory))
    if stormy and ruling(table, "nexus.bg.cunning_storm") == "refuse_in_storm":
        return "The storm is over some of them.", "NEXUS-BG-19"
    return "", ""
