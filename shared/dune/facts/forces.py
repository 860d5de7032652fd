"""Kinds of forces as data: what each can do on the board, so that nobody need know a faction. [BG-21..BG-23]"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

__all__ = ["ForceKind", "kind_of", "kinds_of_force", "off_board", "stays"]


class ForceKind(Struct, frozen=True):
    """A kind of forces. `one` and `many` are its words for people.

    `elite`: at most one a turn is revived. [REVIVAL-07] `stays`: it stands with others without taking part. [BG-23]
    `off_board`: what it is in reserves and in the tanks, if another kind. [BG-22]
    """

    id: str
    one: str
    many: str
    elite: bool = False
    stays: bool = False
    off_board: str = ""

    def counted(self, number: int) -> str:
        """A number of them for prompts and the log: `1 force`, `3 Sardaukar`."""
        return f"{number} {self.one if number == 1 else self.many}"


@cache
def kinds_of_force() -> dict[str, ForceKind]:
    """All kinds of forces by id."""
    text = resources.files(__package__).joinpath("forces.toml").read_text("utf-8")
    rows = msgspec.convert(tomllib.loads(text)["kind"], list[ForceKind])
    return {row.id: row for row in rows}


def kind_of(id: str) -> ForceKind:
    """The kind of forces with this id; KeyError if there is none."""
    return kinds_of_force()[id]


@cache
def stays() -> frozenset[str]:
    """The kinds that do not fight, occupy, count for a limit, collect or use ornithopters. [BG-23]"""
    return frozenset(row.id for row in kinds_of_force().values() if row.stays)


@cache
def off_board() -> dict[str, str]:
    """The kinds that are another kind in reserves and in the tanks, with that kind. [BG-22]"""
    return {row.id: row.off_board for row in kinds_of_force().values() if row.off_board}
