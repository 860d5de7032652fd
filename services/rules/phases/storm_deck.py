"""The storm deck: from turn 2 a card drawn the turn before moves the storm. [START-22, STORM-06..STORM-08]"""

from __future__ import annotations

from services.rules.engine.flow import Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.phases.storm import FIXED
from shared.dune.events.pieces import PiecesLaid, PilesGathered
from shared.dune.events.storm import (
    STORM_DECK,
    STORM_NEXT,
    STORM_SHOWN,
    StormCardDrawn,
    StormCardRevealed,
    StormDistanceSet,
    next_storm_card,
    storm_seen,
)
from shared.dune.facts.storm import has_storm_deck, sectors_of_card, storm_cards
from shared.dune.shapes import Json
from shared.dune.table import Table, zone

ADVANCED = ("advanced",)


@at("setup", rule="START-22", order=10, modes=ADVANCED)
def lay_storm_deck(table: Table, subject: Json) -> Flow | None:
    """Where it is in use, the storm deck is laid with the other decks."""
    return LayStormDeck() if has_storm_deck(table.settings) else None


class LayStormDeck(Flow, tag="setup.storm_deck", frozen=True, omit_defaults=True):
    """Six cards, shuffled; none is drawn before the first storm has moved. [START-22]"""

    def start(self, play: Play) -> Next:
        """Lay them."""
        play.emit(PiecesLaid(STORM_DECK, play.chance.shuffled(tuple(storm_cards()))))
        return self.done()


@at("storm.number", rule="STORM-06", modes=ADVANCED)
def storm_by_card(table: Table, subject: Json) -> Flow | None:
    """A card drawn last turn fixes the number; without one the storm is dialed. [STORM-01, STORM-08]"""
    return RevealStormCard() if next_storm_card(table) else None


class RevealStormCard(Flow, tag="storm.card_revealed", frozen=True, omit_defaults=True):
    """The number is that of the card; no dials are used. [STORM-06, FRE-20]"""

    def start(self, play: Play) -> Next:
        """Reveal it."""
        drawn = next_storm_card(play.table)
        assert drawn is not None
        play.emit(StormCardRevealed(drawn[0]), StormDistanceSet(sectors_of_card(drawn[0])))
        play.set_public(FIXED, True)
        return self.done()


@at("storm.ends", rule="STORM-07", order=10, modes=ADVANCED)
def draw_next_card(table: Table, subject: Json) -> Flow | None:
    """When the storm has moved, by card or not. [WEATHER-04]"""
    return DrawStormCard() if has_storm_deck(table.settings) else None


class DrawStormCard(Flow, tag="storm.card_drawn", frozen=True, omit_defaults=True):
    """This turn's card returns, the deck is shuffled, and the next turn's is drawn. [STORM-07, WEATHER-04]"""

    def start(self, play: Play) -> Next:
        """A card that Weather Control made needless is spent all the same. [WEATHER-04]"""
        spent = (STORM_SHOWN, STORM_NEXT, *map(storm_seen, play.table.seats))
        lying = tuple(name for name in spent if zone(play.table, name))
        if lying:
            play.emit(PilesGathered(lying, STORM_DECK))
        play.shuffle(STORM_DECK)
        play.emit(StormCardDrawn(zone(play.table, STORM_DECK)[0], play.table.turn + 1))
        return self.done()
