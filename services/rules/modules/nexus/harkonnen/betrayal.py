"""Betrayal of the Harkonnen card: a traitor that they have called is void. [NEXUS-HARK-30..NEXUS-HARK-47]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.windows import react
from services.rules.factions.harkonnen import NAME
from services.rules.modules.nexus.gates import NexusReaction, gate
from services.rules.modules.nexus.harkonnen.deck import draw
from services.rules.modules.nexus.holding import Mode
from services.rules.phases.battle_traitors import VOID_CALLS
from shared.dune import facts
from shared.dune.events.traitors import DECK, TraitorsReturned
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Table, zone

KIND = "harkonnen_traitor"
DUE = "turn.traitor_due"
"""Public mark: how many traitors Harkonnen draw when the Mentat Pause opens. [NEXUS-HARK-42]"""


@at("traitor.stands", rule="NEXUS-HARK-31", order=50)
def may_be_void(table: Table, subject: Json) -> Flow | None:
    """A call of Harkonnen, for themselves or an ally, that nothing has stopped. [NEXUS-HARK-31..NEXUS-HARK-34]"""
    if subject["caller"] != NAME:
        return None
    return VoidTraitor(subject["side"], subject["leader"], subject["territory"])


class VoidTraitor(Flow, tag="nexus.harkonnen_betrayal", frozen=True, omit_defaults=True):
    """One call that could be made void. [NEXUS-HARK-35..NEXUS-HARK-41]"""

    side: Faction
    leader: str
    territory: str

    def start(self, play: Play) -> Next:
        """Who called, for whom, and which leader is public; nothing else. [NEXUS-HARK-36]"""
        text = f"Harkonnen have called {facts.name(self.leader)} a traitor for {facts.name(self.side)}."
        opened = gate(
            play.table, KIND, NAME, text, side=self.side, leader=self.leader, territory=self.territory
        )
        return self.call(opened, then="answered")

    def answered(self, play: Play, outcome: Json) -> Next:
        """Void, the card goes back into the deck at once, and another is due for it. [NEXUS-HARK-39, NEXUS-HARK-42]

        A card that has left the hand since it was called is in the deck already, exchanged for another.
        """
        if outcome is None:
            return self.done()
        play.set_public(VOID_CALLS, (*play.table.names(VOID_CALLS), self.side))
        card = f"traitor:{self.leader}"
        if card in zone(play.table, f"traitors.{NAME}"):
            play.emit(TraitorsReturned(NAME, (card,), 1))
            play.shuffle(DECK)
            play.set_public(DUE, play.table.count(DUE) + 1)
        return self.done()


@react
class HarkonnenBetrayal(NexusReaction):
    """The answer of the card's holder. [NEXUS-HARK-30]"""

    name: ClassVar[str] = "harkonnen_betrayal"
    kinds: ClassVar[tuple[str, ...]] = (f"nexus.{KIND}",)
    rule: ClassVar[str] = "NEXUS-HARK-30"
    label: ClassVar[str] = "Make the call void with your Nexus card"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "betrayal"
    text: ClassVar[str] = "the traitor called by Harkonnen is void."


@at("mentat.begins", rule="NEXUS-HARK-43", order=5)
def replacement_is_due(table: Table, subject: Json) -> Flow | None:
    """Before anything else in the phase, and before victory. [NEXUS-HARK-43, NEXUS-HARK-44, NEXUS-HARK-45]"""
    return DrawReplacement() if table.count(DUE) else None


class DrawReplacement(Flow, tag="nexus.traitor_replaced", frozen=True, omit_defaults=True):
    """The due card is drawn once, unseen by others. [NEXUS-HARK-42, NEXUS-HARK-43]"""

    def start(self, play: Play) -> Next:
        """By itself."""
        due = play.table.count(DUE)
        play.clear(DUE)
        draw(play, NAME, due)
        return self.done()
