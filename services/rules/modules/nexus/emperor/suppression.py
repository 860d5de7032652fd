"""Betrayal: Sardaukar are worth no more than others in one battle. [NEXUS-EMP-18, NEXUS-EMP-19]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Frame
from services.rules.engine.play import Play
from services.rules.engine.windows import Subject, react
from services.rules.factions.emperor import NAME
from services.rules.factions.emperor.sardaukar import EQUALS
from services.rules.factions.emperor.sardaukar import POWER as SARDAUKAR
from services.rules.modules.nexus.gates import NexusReaction
from services.rules.modules.nexus.holding import Mode
from services.rules.modules.nexus.plays import NexusPlay, nexus_play
from services.rules.phases.battle_plan import clash_now, plans_are_awaited
from services.rules.phases.battle_powers import POWER, WINDOW, cancel_power, powers_of
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off
from shared.dune.table import Table

TEXT = "Sardaukar count as normal forces in this battle."


@react
class SuppressSardaukar(NexusReaction):
    """In the window before the plans of a battle with Sardaukar, except against Fremen. [NEXUS-EMP-18]"""

    name: ClassVar[str] = "suppress_sardaukar"
    kinds: ClassVar[tuple[str, ...]] = (WINDOW,)
    modes: ClassVar[tuple[str, ...]] = ("advanced",)
    rule: ClassVar[str] = "NEXUS-EMP-18"
    label: ClassVar[str] = "Suppress the Sardaukar with your Nexus card"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "betrayal"
    text: ClassVar[str] = TEXT

    def possible(self, table: Table, seat: Faction, kind: str, subject: Subject) -> bool:
        """Every seat but the Emperor, while the Sardaukar advantage is there to be suppressed. [NEXUS-85]"""
        return NAME in table.seats and seat != NAME and _counts(table)

    def uses(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Nothing more to say; what somebody else has just cancelled costs no card."""
        return Fields({}) if _counts(table) else Off("They count as normal forces already.", "NEXUS-EMP-18")

    def carry_out(self, play: Play, seat: Faction, subject: Subject, answer: Json) -> Flow | None:
        """Off for this battle; the forces stay what they are, and legal plans follow. [NEXUS-EMP-18]"""
        text = str(subject.about[POWER + SARDAUKAR])
        cancel_power(play, SARDAUKAR, text, seat, once=True)
        return None

    def reopens(self) -> bool:
        """There may be other powers at work. [NEXUS-EMP-19]"""
        return True


@nexus_play
class SuppressWhilePlanning(NexusPlay):
    """The same as long as plans are being made, as with a Karama: an Emperor that has committed makes its plan again.

    Whether it has is no matter, since nobody may learn it from what can be played. [NEXUS-EMP-18, REACT-61, WINPOL-05]
    """

    name: ClassVar[str] = "suppress_sardaukar"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "betrayal"
    modes: ClassVar[tuple[str, ...]] = ("advanced",)
    rule: ClassVar[str] = "NEXUS-EMP-18"
    label: ClassVar[str] = "Suppress the Sardaukar in this battle"
    text: ClassVar[str] = TEXT

    def fields(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """Where they are at work, until both plans are in."""
        if not _counts(table):
            return Off("No battle is being fought in which Sardaukar count more.", "NEXUS-EMP-18")
        if not plans_are_awaited(stack):
            return Off("It is played while the plans of a battle are being made.", "NEXUS-EMP-18")
        return Fields({})

    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow | None:
        """The plans are asked for again as they now are."""
        clash = clash_now(play.table)
        assert clash is not None
        cancel_power(play, SARDAUKAR, powers_of(play.table, clash)[SARDAUKAR], seat, once=True)
        return None


def _counts(table: Table) -> bool:
    """Whether Sardaukar are at work in this battle against an opponent against whom they count more."""
    clash = clash_now(table)
    return clash is not None and EQUALS not in clash.sides and SARDAUKAR in powers_of(table, clash)
