"""What the decks of a game are made of, by the decks that it was set to play with. [CARD-01, MAP-11, E3C-01]"""

from __future__ import annotations

from shared.dune import facts
from shared.dune.table import Piece

__all__ = ["all_of", "spice_pieces", "treachery_faces", "treachery_pieces"]

SPICE_SETS = ("base",)
"""The sets whose spice cards are in play: those of expansions come with modules of their own."""


def all_of(face: str, count: int) -> tuple[Piece, ...]:
    """The pieces of a card face: the face id alone if there is one, else `face#1`, `face#2`..."""
    return (face,) if count == 1 else tuple(f"{face}#{number}" for number in range(1, count + 1))


def treachery_faces(decks: tuple[str, ...]) -> list[facts.TreacheryFact]:
    """The treachery cards of these decks, each face once."""
    return [fact for fact in facts.treachery_cards().values() if fact.set in decks]


def treachery_pieces(decks: tuple[str, ...]) -> list[Piece]:
    """All treachery cards of these decks."""
    return [piece for fact in treachery_faces(decks) for piece in all_of(fact.id, fact.count)]


def spice_pieces() -> list[Piece]:
    """All spice cards."""
    known = (fact for fact in facts.spice_cards().values() if fact.set in SPICE_SETS)
    return [piece for fact in known for piece in all_of(fact.id, fact.count)]
