"""Strength of forces in battle: what a force counts, what spice adds to it, and which forces make up a dial.

Strength is counted in steps of the dial: whole forces, or halves where the dial may hold them. [BATTLE-22, BATTLE-32]
Which forces fight is never said with a plan: it is legal when some set of them fits. [BATTLE-35, BATTLE-41]
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from msgspec import Struct

from services.rules.engine.hooks import Quote, quote
from services.rules.phases.battle_grounds import Clash, fighters_at
from shared.dune.settings import Faction
from shared.dune.table import Kinds, Table

__all__ = [
    "CountedAs",
    "DialStep",
    "ForceStrength",
    "Rank",
    "dials",
    "loss_sets",
    "ranks_of",
    "reasons_of",
    "step_of_dial",
    "strength_of",
]


class DialStep(Quote, frozen=True, kw_only=True):
    """Into how many steps of the dial a strength of one is divided: 1, or 2 where the dial may hold halves."""


class ForceStrength(Quote, frozen=True, kw_only=True):
    """What one force of a kind counts for in a battle, in steps of the dial; `value` is its full strength.

    `needs_spice`: it counts in full only where 1 spice is paid for it, otherwise half of that. [BATTLE-31, BATTLE-33]
    """

    faction: Faction
    opponent: Faction
    kind: str
    needs_spice: bool = False

    @property
    def bare(self) -> int:
        """What it counts for without spice. [EMP-09]"""
        return self.value // 2 if self.needs_spice else self.value


class CountedAs(Quote, frozen=True, kw_only=True):
    """Forces of a side that count in a battle as if they were of another kind: by their own kind, that and how many.

    They stay what they are: whoever loses them loses forces of their own kind.
    """

    clash: Clash
    side: Faction
    counted: dict[str, tuple[str, int]] = {}


class Rank(Struct, frozen=True):
    """Forces of one kind that take part and count alike: how many, and what each counts with spice (`full`) and without
    (`bare`).

    Forces that count in full without spice are not paid for. [FRE-30] `like`: the kind as which they count.
    """

    kind: str
    number: int
    full: int
    bare: int
    like: str


def step_of_dial(table: Table) -> int:
    """How many steps of the dial make a strength of one. [BATTLE-22, BATTLE-32]"""
    return quote(table, DialStep().step(1, "A force is dialed whole", "BATTLE-22")).value


def strength_of(table: Table, faction: Faction, opponent: Faction, kind: str) -> ForceStrength:
    """What one force of a kind counts for against an opponent, with the reasons. [BATTLE-22, BATTLE-33]"""
    base = ForceStrength(faction=faction, opponent=opponent, kind=kind)
    return quote(table, base.step(step_of_dial(table), "A force counts 1", "BATTLE-22"))


def reasons_of(table: Table, clash: Clash, side: Faction) -> list[str]:
    """Why the forces of a side count what they do, kind by kind with rule ids; empty where each simply counts 1.

    [BATTLE-22, BATTLE-33]
    """
    kinds = {kind for place in clash.places for kind in fighters_at(table, place, side)}
    kinds |= {kind for kind, _ in quote(table, CountedAs(clash=clash, side=side)).counted.values()}
    told: list[str] = []
    for kind in sorted(kinds, key=lambda kind: (kind != "regular", kind)):
        lines = strength_of(table, side, clash.opponent(side), kind).lines
        if len(lines) > 1:
            told.append("; ".join(f"{line.text} ({line.rule})" for line in lines))
    return list(dict.fromkeys(told))


def ranks_of(table: Table, clash: Clash, side: Faction) -> tuple[Rank, ...]:
    """The forces of a side that take part, by kind, ordinary ones first. [BATTLE-04]"""
    numbers: Kinds = {}
    for place in clash.places:
        for kind, number in fighters_at(table, place, side).items():
            numbers[kind] = numbers.get(kind, 0) + number
    counted = quote(table, CountedAs(clash=clash, side=side)).counted
    ranks: list[Rank] = []
    for kind in sorted(numbers, key=lambda kind: (kind != "regular", kind)):
        other, some = counted.get(kind, (kind, 0))
        some = min(some, numbers[kind])
        for like, number in ((kind, numbers[kind] - some), (other, some)):
            if number:
                counts = strength_of(table, side, clash.opponent(side), like)
                ranks.append(Rank(kind, number, counts.value, counts.bare, like))
    return tuple(ranks)


class _Part(Struct, frozen=True):
    """Some forces of one rank: how many, the steps that they make up, and the spice that is paid for them."""

    number: int
    steps: int
    spice: int


def _parts(rank: Rank) -> Iterator[_Part]:
    """Every way to take some forces of a rank, with spice or without."""
    payable = rank.full != rank.bare
    for number in range(rank.number + 1):
        for paid in range(number + 1 if payable else 1):
            bare = number - paid
            yield _Part(number, paid * rank.full + bare * rank.bare, paid)


@lru_cache(maxsize=4096)
def dials(ranks: tuple[Rank, ...], spice: int) -> dict[int, tuple[int, ...]]:
    """Every dial that these forces can make, with the amounts of spice that fit it exactly, none above `spice`.

    [BATTLE-35]
    """
    found: set[tuple[int, int]] = {(0, 0)}
    for rank in ranks:
        parts = {(part.steps, part.spice) for part in _parts(rank)}
        found = {(a + c, b + d) for a, b in found for c, d in parts if b + d <= spice}
    rows: dict[int, list[int]] = {}
    for dial, paid in sorted(found):
        rows.setdefault(dial, []).append(paid)
    return {dial: tuple(paid) for dial, paid in rows.items()}


@lru_cache(maxsize=4096)
def loss_sets(ranks: tuple[Rank, ...], dial: int, spice: int) -> tuple[Kinds, ...]:
    """The sets of forces, by kind, that fit a dial and the spice paid: fewest elites first, then fewest forces.

    [BATTLE-41, BATTLE-42]
    """
    sets: list[Kinds] = []
    for parts in product(*(tuple(_parts(rank)) for rank in ranks)):
        if (sum(part.steps for part in parts), sum(part.spice for part in parts)) == (dial, spice):
            lost: Kinds = {}
            for rank, part in zip(ranks, parts, strict=True):
                if part.number:
                    lost[rank.kind] = lost.get(rank.kind, 0) + part.number
            if lost not in sets:
                sets.append(lost)
    return tuple(sorted(sets, key=_dearness))


def _dearness(kinds: Kinds) -> tuple[int, int, list[tuple[str, int]]]:
    elites = sum(number for kind, number in kinds.items() if kind != "regular")
    return elites, sum(kinds.values()), sorted(kinds.items())
