"""What playing any card means."""

from __future__ import annotations

from services.rules.engine.play import Play
from services.rules.phases.hands import cards_of
from shared.dune.events.pieces import CardDiscarded
from shared.dune.settings import Faction

__all__ = ["REMOVED", "discard"]

REMOVED = "treachery_removed"
"""Zone of the cards that are out of the game. [GEN-20]"""


def discard(play: Play, seat: Faction, face: str, reason: str, *, removed: bool = False) -> None:
    """A seat plays one card of a face: all see it, and it is then discarded, or out of the game. [CARD-02, CARD-10]"""
    card = cards_of(play.table, seat, face)[0]
    target = REMOVED if removed else "treachery_discard"
    play.emit(CardDiscarded(seat, card, reason, target=target))
