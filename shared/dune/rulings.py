"""The catalogue of rulings: disputed points by name, with the values that a room may choose."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

__all__ = ["Ruling", "rulings"]


class Ruling(Struct, frozen=True):
    """A disputed point: its rule id, its values (default first), those that may be chosen, and why not the rest.

    `module`, `deck`: the optional module or deck that it belongs to; empty: the game itself.
    """

    id: str
    name: str
    question: str
    values: tuple[str, ...]
    modes: tuple[str, ...]
    offered: tuple[str, ...] = ()
    fixed: str = ""
    module: str = ""
    deck: str = ""

    def belongs_to(self, mode: str, modules: tuple[str, ...], decks: tuple[str, ...]) -> bool:
        """Whether a game of this mode, with these modules and decks, has this point at all."""
        has_module = not self.module or self.module in modules
        return mode in self.modes and has_module and (not self.deck or self.deck in decks)

    @property
    def default(self) -> str:
        """The value that holds unless the room chose another."""
        return self.values[0]


@cache
def rulings() -> dict[str, Ruling]:
    """All rulings by name."""
    text = resources.files("shared.dune.facts").joinpath("rulings.toml").read_text("utf-8")
    rows = msgspec.convert(tomllib.loads(text)["ruling"], list[Ruling])
    return {row.name: row for row in rows}
