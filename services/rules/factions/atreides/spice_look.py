"""Atreides look at the top of the spice deck. [ATR-06, ATR-36]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer, yes_no
from services.rules.engine.play import Play
from services.rules.factions.atreides import NAME
from services.rules.phases.spice_blow import next_spice_card
from shared.dune import facts
from shared.dune.events.pieces import CardSeen
from shared.dune.shapes import Json
from shared.dune.table import Table

POWER = "atreides.spice_look"
"""Karama name: the look at the spice card. [ATR-36]"""


@at("shipment.begins", rule="ATR-06", order=20)
def look_at_spice(table: Table, subject: Json) -> Flow | None:
    """Before anybody ships or moves. [SHIP-03]"""
    return SpiceLook() if NAME in table.seats else None


class SpiceLook(Flow, tag="atreides.spice_look", frozen=True, omit_defaults=True):
    """One look at the card for the next blow, once per turn. [ATR-06, REACT-35]"""

    def start(self, play: Play) -> Next:
        """Ask; silence is no look."""
        made = offer(
            NAME,
            "spice_look",
            "You may look at the top card of the spice deck.",
            yes_no("Look at it", "Do not look"),
            default={"do": "no"},
            rules=("ATR-06",),
        )
        return self.ask([made], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """What is declared may be cancelled. [REACT-36]"""
        if answers[NAME]["do"] == "no":
            return self.done()
        text = f"{facts.name(NAME)} is about to look at the top card of the spice deck."
        return self.call(cancel_window(POWER, NAME, text), then="look")

    def look(self, play: Play, outcome: Json) -> Next:
        """Only Atreides sees it; an empty deck is rebuilt first. [ATR-06, ATR-36]"""
        if outcome is None:
            card = next_spice_card(play)
            if card is not None:
                play.emit(CardSeen(NAME, "spice_deck", card))
        return self.done()
