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

    `module`, `deck`: the optional module or deck that it belongs to; empty: the game itself. `settled_by`: the modules
    whose own rules leave no choice in it.
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
    settled_by: tuple[str, ...] = ()

    def why_absent(self, mode: str, modules: tuple[str, ...], decks: tuple[str, ...]) -> str:
        """Why a game of this mode, with these modules and decks, has not this point; empty if it has."""
        if mode not in self.modes:
            return f"is about the {' and the '.join(self.modes)} game, this is the {mode} one"
        if self.module and self.module not in modules:
            return f"is about {self.module}, which is not chosen"
        if self.deck and self.deck not in decks:
            return f"is about {self.deck}, which is not chosen"
        settled = [module for module in self.settled_by if module in modules]
        return f"is settled by the rules of {', '.join(settled)}" if settled else ""

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
