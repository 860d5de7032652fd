"""Secret Ally of the Moritani card: a loser keeps one card that it played. [NEXUS-MOR-09, NEXUS-MOR-10]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.windows import Subject, react
from services.rules.modules.nexus.gates import NexusReaction, gate
from services.rules.modules.nexus.holding import Mode
from services.rules.phases.battle_aftermath import may_be_kept
from shared.dune import facts
from shared.dune.events.battle import PlanCardKept
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, OneOf, Option
from shared.dune.table import Piece, Table, zone

MORITANI = "moritani"
KIND = "battle_lost"


def _keepable(table: Table, seat: Faction) -> tuple[Piece, ...]:
    """The cards of a revealed plan that its player could keep had it won. [NEXUS-MOR-09]"""
    return tuple(card for card in zone(table, f"plan.{seat}") if may_be_kept(card))


@at("battle.loser_discards", rule="NEXUS-MOR-10")
def may_keep(table: Table, subject: Json) -> Flow | None:
    """Every loser that has such a card, as all can see; without one there is no question. [NEXUS-MOR-10]"""
    loser = subject["loser"]
    if MORITANI in table.seats or not _keepable(table, loser):
        return None
    text = (
        f"{facts.name(loser)} has lost to {facts.name(subject['winner'])} and is about to discard its cards."
    )
    return gate(table, KIND, MORITANI, text, seats=(loser,))


@react
class MoritaniSecretAlly(NexusReaction):
    """The answer of the card's holder; all else of its plan is discarded. [NEXUS-MOR-09, NEXUS-MOR-10]"""

    name: ClassVar[str] = "moritani_secret_ally"
    kinds: ClassVar[tuple[str, ...]] = (f"nexus.{KIND}",)
    rule: ClassVar[str] = "NEXUS-MOR-09"
    label: ClassVar[str] = "Keep one card that you played, with your Nexus card"
    native: ClassVar[Faction] = MORITANI
    mode: ClassVar[Mode] = "secret_ally"
    text: ClassVar[str] = "keeps a card that it played."

    def uses(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Which one."""
        options = tuple(Option(card, facts.name(card)) for card in _keepable(table, seat))
        return Fields({"card": OneOf(options)}, labels={"card": "Card"})

    def carry_out(self, play: Play, seat: Faction, subject: Subject, answer: Json) -> Flow | None:
        """Back into its hand."""
        play.emit(PlanCardKept(seat, answer["card"]))
        return None
