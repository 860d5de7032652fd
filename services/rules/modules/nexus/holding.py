"""Who holds a Nexus card, in which mode it can be played, and playing it. [NEXUS-04, NEXUS-24..NEXUS-28]"""

from __future__ import annotations

from typing import Literal

from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from shared.dune import facts
from shared.dune.events.nexus_cards import NexusCardPlayed
from shared.dune.facts.nexus import nexus_card_of
from shared.dune.settings import Faction
from shared.dune.shapes import Off
from shared.dune.table import Piece, Table, zone

__all__ = [
    "Mode",
    "can_be_held",
    "deck",
    "discard",
    "hand",
    "has_card",
    "held",
    "mode_of",
    "play_card",
    "possible_holders",
    "why_not",
]

Mode = Literal["cunning", "betrayal", "secret_ally"]


def deck(table: Table) -> str:
    """The zone of the draw deck; its size is public by ruling alone. [NEXUS-23]"""
    counted = ruling(table, "nexus.public_counts") == "all_counts"
    return "nexus_deck_counted" if counted else "nexus_deck"


def discard(table: Table) -> str:
    """The zone of the discarded cards: faces or their number are public by ruling alone. [NEXUS-22, NEXUS-23]"""
    if ruling(table, "nexus.discard_faces") == "public_pile":
        return "nexus_discard_open"
    counted = ruling(table, "nexus.public_counts") == "all_counts"
    return "nexus_discard_counted" if counted else "nexus_discard"


def hand(seat: Faction) -> str:
    """The zone of a seat's Nexus card, one at most; that it holds one is public. [NEXUS-05, NEXUS-23]"""
    return f"nexus.{seat}"


def held(table: Table, seat: Faction) -> Piece | None:
    """The card that a seat holds: a secret of that seat. [NEXUS-21]"""
    cards = zone(table, hand(seat))
    return cards[0] if cards else None


def has_card(table: Table, seat: Faction) -> bool:
    """Whether a seat holds some Nexus card: public. [NEXUS-23]"""
    return held(table, seat) is not None


def can_be_held(table: Table) -> bool:
    """Whether anybody can ever hold a card: of two players both or neither have an ally. [NEXUS-80]"""
    return len(table.seats) > 2


def mode_of(table: Table, seat: Faction, native: Faction) -> Mode:
    """How a seat would play the card of a faction, by who is seated alone. [NEXUS-24, NEXUS-25]"""
    if seat == native:
        return "cunning"
    return "betrayal" if native in table.seats else "secret_ally"


def possible_holders(table: Table, native: Faction) -> tuple[Faction, ...]:
    """Who could hold a faction's card as another than that faction, by public facts: unallied, with some card.

    [NEXUS-57, NEXUS-60]
    """
    order = table.order or table.seats
    return tuple(
        seat for seat in order if seat != native and table.ally_of(seat) is None and has_card(table, seat)
    )


def why_not(table: Table, seat: Faction, native: Faction, mode: Mode) -> Off | None:
    """Why a seat cannot play a faction's card in a mode, told to it alone; None if it can. [NEXUS-26, NEXUS-58]"""
    name = facts.name(nexus_card_of(native))
    if held(table, seat) != nexus_card_of(native):
        return Off(f"You do not hold the {name}.", "NEXUS-26")
    if table.ally_of(seat) is not None:
        return Off("Who has an ally plays no Nexus card.", "NEXUS-26")
    if mode_of(table, seat, native) != mode:
        return Off(f"You hold {name} for another use.", "NEXUS-24")
    return None


def play_card(play: Play, seat: Faction, native: Faction, effect: str, text: str) -> None:
    """Spend the card that a seat holds for one effect: at once, for good, whatever becomes of it. [NEXUS-27, NEXUS-28]

    ValueError if the seat does not hold that card: whoever calls has asked `why_not`.
    """
    card = nexus_card_of(native)
    if held(play.table, seat) != card:
        raise ValueError(f"{seat} does not hold {card}")
    mode = mode_of(play.table, seat, native)
    play.emit(NexusCardPlayed(seat, card, mode, effect, text, hand(seat), discard(play.table)))
