"""Harkonnen draws a second card for each one that it buys. [HARK-05]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.factions.harkonnen import NAME
from services.rules.phases.hands import has_room, is_card_left, top_card
from shared.dune.events.pieces import CardDrawn
from shared.dune.shapes import Json
from shared.dune.table import Table


@at("auction.bought", rule="HARK-05")
def second_card(table: Table, subject: Json) -> Flow | None:
    """However it paid, unless its hand is at the limit now or no card is left to draw. [HARK-06, BID-21, GEN-19]"""
    draws = subject["buyer"] == NAME and has_room(table, NAME) and is_card_left(table)
    return SecondCard() if draws else None


class SecondCard(Flow, tag="harkonnen.extra_card", frozen=True, omit_defaults=True):
    """One extra card, from the deck and not from the row. [HARK-05, HARK-07, HARK-32, REACT-28]"""

    def start(self, play: Play) -> Next:
        """It may be cancelled before the card is drawn."""
        text = "Harkonnen is about to draw a second card for the one that it bought."
        return self.call(cancel_window("harkonnen.extra_card", NAME, text), then="draw")

    def draw(self, play: Play, outcome: Json) -> Next:
        """Not cancelled: the top card of the deck."""
        if outcome is None and (card := top_card(play)):
            play.emit(CardDrawn(NAME, card, "extra card"))
        return self.done()
