"""The closing draw: after a Nexus, whoever has no ally may draw a Nexus card. [NEXUS-07..NEXUS-17]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Given, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.engine.watching import watches
from services.rules.modules.nexus.holding import deck, discard, hand, has_card, held
from shared.dune.events.nexus import AllianceMade, NexusBegan
from shared.dune.events.nexus_cards import (
    NexusCardForfeited,
    NexusCardHeld,
    NexusCardMoved,
    NexusDeckRebuilt,
    NexusDrawsEnded,
)
from shared.dune.events.pieces import PiecesLaid
from shared.dune.facts.nexus import nexus_card_of, nexus_cards
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, OneOf, Option, Variant
from shared.dune.table import Piece, Table, zone

HAPPENED = "phase.nexus_happened"
"""Public mark: a Nexus happened in this phase. [NEXUS-08]"""
KEEP, ONCE, ALWAYS = "keep", "once", "whenever"
OWN_FACE = (
    Option(KEEP, "Keep whatever comes"),
    Option(ONCE, "If it is my own faction's card, draw once more"),
    Option(ALWAYS, "Draw again whenever it is my own faction's card"),
)


@at("setup", rule="NEXUS-83", order=15)
def lay_cards(table: Table, subject: Json) -> Flow:
    """The twelve are shuffled once, and nobody is dealt one. [NEXUS-01, NEXUS-02, NEXUS-83]"""
    return LayNexusCards()


class LayNexusCards(Flow, tag="nexus.lay", frozen=True, omit_defaults=True):
    """The Nexus cards come into the game."""

    def start(self, play: Play) -> Next:
        """All twelve, whoever plays."""
        play.emit(PiecesLaid(deck(play.table), play.chance.shuffled(list(nexus_cards()))))
        return self.done()


@watches(NexusBegan, rule="NEXUS-08")
def nexus_happened(play: Play, began: NexusBegan) -> None:
    """Remembered until the phase is over, whatever the second blow brings. [NEXUS-08]"""
    play.set_public(HAPPENED, True)


@watches(AllianceMade, rule="NEXUS-18")
def partners_give_up_their_cards(play: Play, made: AllianceMade) -> None:
    """With every alliance, whoever brings it about, in the same step. [NEXUS-18, NEXUS-19, NEXUS-20]"""
    for faction in (made.one, made.other):
        if card := held(play.table, faction):
            play.emit(NexusCardForfeited(faction, card, hand(faction), discard(play.table)))


@at("spice_blow.ends", rule="NEXUS-07", order=90)
def closing_draw(table: Table, subject: Json) -> Flow | None:
    """If a Nexus happened and there is an alliance, for all that have none. [NEXUS-07, NEXUS-10]"""
    if not table.is_set(HAPPENED) or not table.allies:
        return None
    order = table.order or table.seats
    return ClosingDraw(tuple(seat for seat in order if table.ally_of(seat) is None))


class ClosingDraw(Flow, tag="nexus.draw", frozen=True, omit_defaults=True):
    """One opportunity for each seat without an ally: chosen by all at once, carried out in storm order.

    The order is that of the program alone, and nobody sees it. [NEXUS-11, NEXUS-16, NEXUS-17]
    """

    blocks_interrupts: ClassVar[bool] = True

    seats: tuple[Faction, ...]
    chosen: dict[Faction, Json] = {}

    def start(self, play: Play) -> Next:
        """Who is still choosing is public. [NEXUS-09]"""
        asked = [seat for seat in self.seats if seat not in self.chosen]
        if not asked:
            return self.goto("draw")
        return self.ask([_offer(play.table, seat) for seat in asked], then="heard", each=True)

    def heard(self, play: Play, given: Given) -> Next:
        """What they chose is carried out when all have."""
        return self.replace(chosen={**self.chosen, given.seat: given.answer}).goto("start")

    def draw(self, play: Play) -> Next:
        """In one step, so that no pause tells who drew its own card. [NEXUS-13, NEXUS-49]"""
        for seat in self.seats:
            if self.chosen[seat]["do"] == "draw":
                _draw(play, seat, self.chosen[seat]["own_face"])
        holders = tuple(seat for seat in play.table.seats if has_card(play.table, seat))
        play.emit(NexusDrawsEnded(holders))
        return self.done()


def _offer(table: Table, seat: Faction) -> Offer:
    """Draw or leave it: who holds a card gives it up for the new one. [NEXUS-11, NEXUS-12, NEXUS-13]"""
    holds = has_card(table, seat)
    own_face = Fields({"own_face": OneOf(OWN_FACE)}, labels={"own_face": "If it is my own card"})
    labels = {
        "leave": "Keep my card" if holds else "Draw none",
        "draw": "Discard my card and draw another" if holds else "Draw a Nexus card",
    }
    return offer(
        seat,
        "nexus_draw",
        "The Nexus is over and you have no ally: you may draw a Nexus card.",
        Variant({"leave": Fields({}), "draw": own_face}, labels),
        default={"do": "leave"},
        about={"holds": holds},
        rules=("NEXUS-10", "NEXUS-11", "NEXUS-12"),
        clock="window",
    )


def _draw(play: Play, seat: Faction, own_face: str) -> None:
    """Discard, draw, and draw again as far as the seat has said so beforehand. [NEXUS-11, NEXUS-13, NEXUS-14]"""
    if card := held(play.table, seat):
        play.emit(NexusCardMoved(card, hand(seat), discard(play.table)))
    again = own_face != KEEP
    card = _take(play, seat)
    while again and card == nexus_card_of(seat):
        play.emit(NexusCardMoved(card, hand(seat), discard(play.table)))
        card = _take(play, seat)
        again = own_face == ALWAYS
    play.emit(NexusCardHeld(seat, card))


def _take(play: Play, seat: Faction) -> Piece:
    """The top card; an empty deck is first rebuilt from what was discarded, held cards never. [NEXUS-15]"""
    stock, pile = deck(play.table), discard(play.table)
    if not zone(play.table, stock):
        play.emit(NexusDeckRebuilt(pile, stock, play.chance.shuffled(zone(play.table, pile))))
    card = zone(play.table, stock)[0]
    play.emit(NexusCardMoved(card, stock, hand(seat)))
    return card
