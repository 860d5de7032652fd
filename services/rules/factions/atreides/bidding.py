"""Atreides looks at each card that comes up for auction, and may keep notes. [ATR-03, ATR-17]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.factions.atreides import NAME
from shared.dune.events.bidding import NUMBER, CardNoted
from shared.dune.events.pieces import CardSeen
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Table, zone

POWER = "atreides.auction_look"
SEEN = "phase.auction.seen"
"""Private mark: the number in the row of the card that Atreides saw come up last. [ATR-03]"""


@at("auction.card_up", rule="ATR-03")
def look(table: Table, subject: Json) -> Flow | None:
    """Before the card is opened to bids, one card at a time, as each comes up. [BID-24, ATR-04, ATR-05]"""
    return Look() if NAME in table.seats else None


class Look(Flow, tag="atreides.auction_look", frozen=True, omit_defaults=True):
    """One look at one auction card. [ATR-03, ATR-35, REACT-25]"""

    def start(self, play: Play) -> Next:
        """It may be cancelled before the card is shown."""
        text = "Atreides is about to look at the card that is up for auction."
        return self.call(cancel_window(POWER, NAME, text, card=play.table.count(NUMBER)), then="shown")

    def shown(self, play: Play, outcome: Json) -> Next:
        """Not cancelled: Atreides alone sees the card. [BID-29]"""
        if outcome is None:
            card = zone(play.table, "auction_card")[0]
            play.emit(CardSeen(NAME, "auction_card", card))
            play.set_secret(SEEN, play.table.count(NUMBER), NAME)
        return self.done()


@at("auction.bought", rule="ATR-17", order=10)
def note(table: Table, subject: Json) -> Flow | None:
    """Who took a card that Atreides has seen."""
    seen = table.count(SEEN) == table.count(NUMBER)
    return Note(subject["buyer"], subject["card"]) if seen and subject["buyer"] != NAME else None


class Note(Flow, tag="atreides.note", frozen=True, omit_defaults=True):
    """Atreides alone may keep a record of treachery cards. [ATR-17, SECRET-05]"""

    buyer: Faction
    card: str

    def start(self, play: Play) -> Next:
        """Write it down."""
        play.emit(CardNoted(NAME, self.card, self.buyer))
        return self.done()
