"""What a room may choose, by the names that people read: modules, decks, and the rulings that belong to them.

The room's pages and its API read this; what is refused at the start is judged by the rules from the same data.
[NEXUS-02, NEXUS-70]
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

__all__ = ["Named", "decks", "modules"]


class Named(Struct, frozen=True):
    """A module or deck: its id, its name, a line about it, and its topic in the rules guide, if it has one."""

    id: str
    name: str
    text: str
    guide: str = ""


@cache
def _rows(table: str) -> dict[str, Named]:
    text = resources.files("shared.dune.facts").joinpath("modules.toml").read_text("utf-8")
    return {row.id: row for row in msgspec.convert(tomllib.loads(text)[table], list[Named])}


def modules() -> dict[str, Named]:
    """All optional modules by id."""
    return _rows("module")


def decks() -> dict[str, Named]:
    """All decks of treachery cards by id."""
    return _rows("deck")
