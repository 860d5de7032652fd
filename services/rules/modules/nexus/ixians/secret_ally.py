"""Secret Ally of the Ixian card: the card just bought for the top one of the deck. [NEXUS-IX-06..NEXUS-IX-11]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.windows import react
from services.rules.modules.nexus.gates import NexusReaction, gate
from services.rules.modules.nexus.holding import Mode, possible_holders
from services.rules.phases.hands import top_card
from shared.dune import facts
from shared.dune.events.pieces import CardDiscarded, CardDrawn
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Piece, Table

IXIANS = "ixians"
KIND = "bought_card"


@at("auction.bought", rule="NEXUS-IX-06", order=40)
def may_exchange(table: Table, sale: Json) -> Flow | None:
    """Every buyer that could hold the card by public facts, whatever it holds; before it draws another card for it.

    [NEXUS-88, NEXUS-IX-09, NEXUS-IX-10]
    """
    buyer = sale["buyer"]
    if IXIANS in table.seats or buyer not in possible_holders(table, IXIANS):
        return None
    return ExchangeBoughtCard(buyer, sale["card"])


class ExchangeBoughtCard(Flow, tag="nexus.bought_card", frozen=True, omit_defaults=True):
    """The buyer has looked at its card, and may have another. [NEXUS-IX-07, NEXUS-88]"""

    buyer: Faction
    card: Piece

    def start(self, play: Play) -> Next:
        """One neutral question. [NEXUS-IX-10]"""
        text = f"{facts.name(self.buyer)} has bought a card."
        return self.call(gate(play.table, KIND, IXIANS, text, seats=(self.buyer,)), then="answered")

    def answered(self, play: Play, outcome: Json) -> Next:
        """Discarded first, so that a full hand is no matter and it may come back. [NEXUS-IX-07, NEXUS-IX-08]"""
        if outcome is not None:
            play.emit(CardDiscarded(self.buyer, self.card, "a Nexus card"))
            if card := top_card(play):
                play.emit(CardDrawn(self.buyer, card, "a Nexus card"))
        return self.done()


@react
class IxianSecretAlly(NexusReaction):
    """The answer of the card's holder. [NEXUS-IX-06, NEXUS-IX-11]"""

    name: ClassVar[str] = "ixian_secret_ally"
    kinds: ClassVar[tuple[str, ...]] = (f"nexus.{KIND}",)
    rule: ClassVar[str] = "NEXUS-IX-06"
    label: ClassVar[str] = "Discard the card just bought and draw the top one, with your Nexus card"
    native: ClassVar[Faction] = IXIANS
    mode: ClassVar[Mode] = "secret_ally"
    text: ClassVar[str] = "discards the card just bought and draws another."
