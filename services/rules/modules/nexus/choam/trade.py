"""Secret Ally a of the CHOAM card: a worthless card is worth 2 spice. [NEXUS-CHOAM-05, NEXUS-CHOAM-09]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.windows import Subject, react
from services.rules.modules.nexus.gates import NexusReaction, gate
from services.rules.modules.nexus.holding import Mode, possible_holders
from shared.dune import facts
from shared.dune.events.forces import SpicePaid
from shared.dune.events.pieces import CardDiscarded
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, OneOf, Option
from shared.dune.table import BANK, Table

CHOAM = "choam"
KIND = "worthless_trade"
WORTH = 2


@at("collection.ends", rule="NEXUS-CHOAM-05", order=60)
def may_trade(table: Table, subject: Json) -> Flow | None:
    """All that could hold the card by public facts. [NEXUS-CHOAM-05, NEXUS-60]"""
    if CHOAM in table.seats:
        return None
    return gate(table, KIND, CHOAM, "Spice has been collected.", seats=possible_holders(table, CHOAM))


@react
class ChoamTrade(NexusReaction):
    """The answer of the card's holder. [NEXUS-CHOAM-05]"""

    name: ClassVar[str] = "choam_trade"
    kinds: ClassVar[tuple[str, ...]] = (f"nexus.{KIND}",)
    rule: ClassVar[str] = "NEXUS-CHOAM-05"
    label: ClassVar[str] = f"Trade a worthless card for {WORTH} spice, with your Nexus card"
    native: ClassVar[Faction] = CHOAM
    mode: ClassVar[Mode] = "secret_ally"
    when: ClassVar[str] = "at the end of Spice Collection"
    text: ClassVar[str] = f"trades a worthless card for {WORTH} spice."

    def uses(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Which of its worthless cards."""
        cards = [card for card in table.hand(seat) if facts.treachery(card).kind == "worthless"]
        if not cards:
            return Off("You hold no worthless card.", self.rule)
        options = tuple(Option(card, facts.name(card)) for card in cards)
        return Fields({"card": OneOf(options)}, labels={"card": "Card"})

    def carry_out(self, play: Play, seat: Faction, subject: Subject, answer: Json) -> Flow | None:
        """Paid by the bank, once."""
        play.emit(CardDiscarded(seat, answer["card"], "a Nexus card"))
        play.emit(SpicePaid(BANK, WORTH, seat, "a worthless card"))
        return None
