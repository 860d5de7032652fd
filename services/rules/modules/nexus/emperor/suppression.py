"""Betrayal: Sardaukar are worth no more than others in one battle. [NEXUS-EMP-18, NEXUS-EMP-19]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow
from services.rules.engine.play import Play
from services.rules.engine.windows import Subject, react
from services.rules.factions.emperor import NAME
from services.rules.factions.emperor.sardaukar import EQUALS
from services.rules.factions.emperor.sardaukar import POWER as SARDAUKAR
from services.rules.modules.nexus.gates import NexusReaction
from services.rules.modules.nexus.holding import Mode
from services.rules.phases.battle_plan import clash_now
from services.rules.phases.battle_powers import POWER, WINDOW, cancel_power, powers_of
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off
from shared.dune.table import Table


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
    text: ClassVar[str] = "Sardaukar count as normal forces in this battle."

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


def _counts(table: Table) -> bool:
    """Whether Sardaukar are at work in this battle against an opponent against whom they count more."""
    clash = clash_now(table)
    return clash is not None and EQUALS not in clash.sides and SARDAUKAR in powers_of(table, clash)
