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

    `module`: the optional module that it belongs to; empty: the game itself.
    """

    id: str
    name: str
    question: str
    values: tuple[str, ...]
    modes: tuple[str, ...]
    offered: tuple[str, ...] = ()
    fixed: str = ""
    module: str = ""

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
