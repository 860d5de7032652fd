"""What is agreed before a game begins and never changes in it. [GEN-01, GEN-03]"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

__all__ = ["Faction", "Mode", "Settings"]

Faction: TypeAlias = str
"""A faction id, such as `atreides`; on the wire a seat of a running game is named by it."""
Mode = Literal["basic", "advanced"]


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The game's settings; `seats` are the factions in player-circle order, `circles` their sectors. [MAP-03]

    `rulings` holds only what differs from the default. `circles` is filled at the start when left empty. `paced`:
    people are at the table, so that what a standing order answers waits for a time drawn at random. [WINPOL-07]
    """

    mode: Mode = "basic"
    modules: tuple[str, ...] = ()
    decks: tuple[str, ...] = ("base",)
    last_turn: int = 10
    seats: tuple[Faction, ...] = ()
    circles: tuple[int, ...] = ()
    rulings: dict[str, str] = {}
    ruleset: str = "base-1"
    paced: bool = False
