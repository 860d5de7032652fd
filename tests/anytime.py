"""What stands open to a seat at any time, by its kind: its id names an occasion, so that nobody writes it down."""

from __future__ import annotations

from services.rules.engine.game import Game, find_offer
from shared.dune.offers import Offer

__all__ = ["anytime_id", "anytime_offer"]


def anytime_id(game: Game, seat: str, kind: str) -> str:
    """The id under which a seat may do something now; empty if it may not."""
    return next((row.id for row in game.standing if (row.seat, row.kind) == (seat, kind)), "")


def anytime_offer(game: Game, seat: str, kind: str) -> Offer | None:
    """The whole of it; None if the seat may not do it now."""
    return find_offer(game, seat, anytime_id(game, seat, kind))
