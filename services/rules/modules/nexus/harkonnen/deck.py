"""The traitor deck in play: unused cards at its bottom, cards drawn and given back. [NEXUS-HARK-01..NEXUS-HARK-07]"""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from shared.dune import facts
from shared.dune.events.traitors import DECK, TraitorsDrawn, TraitorsReturned, UnusedTraitorsLaid
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, ManyOf, Off, Option
from shared.dune.table import Piece, Table, zone

__all__ = ["ExchangeTraitors", "draw", "why_no_exchange"]

SHORT = Off("The traitor deck holds too few cards.", "NEXUS-HARK-06")
UNSOUND = Off("The traitor cards of this game are not all there.", "NEXUS-HARK-04")


def why_no_exchange(table: Table, number: int) -> Off | None:
    """Why so many traitors cannot be exchanged now, asked before a card is spent. [NEXUS-HARK-04, NEXUS-HARK-06]"""
    found = [*zone(table, DECK), *(card for seat in table.seats for card in zone(table, f"traitors.{seat}"))]
    if sorted(found) != _census(table.seats):
        return UNSOUND
    return None if len(zone(table, DECK)) >= number else SHORT


@cache
def _census(seats: tuple[Faction, ...]) -> list[Piece]:
    """Every identity that takes part, once: who is seated says it, no leader that died or was taken. [NEXUS-HARK-01]"""
    return sorted(f"traitor:{leader}" for seat in seats for leader in facts.leaders_of(seat))


def draw(play: Play, seat: Faction, number: int) -> None:
    """The top cards, in the order in which they lie; ValueError if too few lie there. [NEXUS-HARK-01, NEXUS-HARK-06]"""
    cards = zone(play.table, DECK)[:number]
    if len(cards) < number:
        raise ValueError(f"{number} traitor cards are to be drawn, the deck holds {len(cards)}")
    play.emit(TraitorsDrawn(seat, cards, number))


@at("setup", rule="NEXUS-HARK-53", order=35)
def unused_cards_go_under(table: Table, subject: Json) -> Flow:
    """Nothing is shuffled by it. [NEXUS-HARK-02, NEXUS-HARK-03, NEXUS-HARK-53]"""
    return LayUnusedTraitors()


class LayUnusedTraitors(Flow, tag="nexus.unused_traitors", frozen=True, omit_defaults=True):
    """What each did not keep goes to the bottom of the deck, in player-circle order. [NEXUS-HARK-02]"""

    def start(self, play: Play) -> Next:
        """Who keeps all has none."""
        for faction in play.table.seats:
            if zone(play.table, f"traitors_out.{faction}"):
                play.emit(UnusedTraitorsLaid(faction))
        return self.done()


class ExchangeTraitors(Flow, tag="nexus.exchange_traitors", frozen=True, omit_defaults=True):
    """Draw some, then give as many of the enlarged hand back: nothing else is done until then.

    `default`: what silence gives back, the cards just drawn. [NEXUS-34, NEXUS-HARK-13..NEXUS-HARK-20]
    """

    blocks_interrupts: ClassVar[bool] = True
    asks_always: ClassVar[bool] = True

    seat: Faction
    number: int
    default: tuple[Piece, ...] = ()

    def start(self, play: Play) -> Next:
        """The draw commits with the card that was played. [NEXUS-HARK-14]"""
        drawn = zone(play.table, DECK)[: self.number]
        draw(play, self.seat, self.number)
        return self.replace(default=drawn).goto("choose")

    def choose(self, play: Play) -> Next:
        """Any cards of the hand, those just drawn too. [NEXUS-HARK-13]"""
        options = tuple(Option(card, _label(card)) for card in zone(play.table, f"traitors.{self.seat}"))
        made = offer(
            self.seat,
            "traitor_return",
            f"Give {facts.counted(self.number, 'traitor card')} back to the deck, which is then shuffled.",
            Fields({"cards": ManyOf(options, self.number, self.number)}, labels={"cards": "Traitors"}),
            default={"cards": list(self.default)},
            rules=("NEXUS-HARK-13",),
        )
        return self.ask([made], then="returned")

    def returned(self, play: Play, answers: Answers) -> Next:
        """One return, one shuffle. [NEXUS-HARK-14, NEXUS-HARK-18]"""
        play.emit(TraitorsReturned(self.seat, tuple(answers[self.seat]["cards"]), self.number))
        play.shuffle(DECK)
        return self.done()


def _label(card: Piece) -> str:
    leader = facts.leader(facts.face(card))
    return f"{leader.name} ({facts.name(leader.faction)}, {leader.strength})"
