"""Special leaders: discs beside the five of a faction, in the modes that know them. [ATR-18]"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

__all__ = ["SpecialLeader", "special_leaders", "specials_of"]


class SpecialLeader(Struct, frozen=True):
    """A special leader: its owner, the strength that it adds, what its revival costs, the mode in which it is there."""

    id: str
    name: str
    faction: str
    strength: int
    mode: str
    revival_price: int


@cache
def special_leaders() -> dict[str, SpecialLeader]:
    """All special leaders by id."""
    text = resources.files(__package__).joinpath("factions.toml").read_text("utf-8")
    rows = msgspec.convert(tomllib.loads(text)["special_leader"], list[SpecialLeader])
    return {row.id: row for row in rows}


@cache
def specials_of(faction: str, mode: str) -> tuple[str, ...]:
    """The special leaders of a faction in a mode."""
    return tuple(
        row.id for row in special_leaders().values() if row.faction == faction and row.mode in ("basic", mode)
    )
