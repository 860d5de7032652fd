"""Seeded chance: one generator a game, whose state is part of the checkpoint and never leaves rules. [START-20]"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

ALGORITHM = "sha256ctr"


class Chance:
    """A counter-mode generator: the state is its name, seed and counter, so a saved game draws on where it stopped.

    `drawn` is the counter: how often a number was drawn so far.
    """

    def __init__(self, state: str) -> None:
        algorithm, seed, counter = state.split(":")
        if algorithm != ALGORITHM:
            raise ValueError(f"chance of kind {algorithm!r} is not known; known is {ALGORITHM!r}")
        self._seed = seed
        self.drawn = int(counter)

    @classmethod
    def of(cls, seed: int) -> Chance:
        """A fresh generator for a seed."""
        return cls(f"{ALGORITHM}:{seed}:0")

    @property
    def state(self) -> str:
        """What to save, and to pass to the constructor later."""
        return f"{ALGORITHM}:{self._seed}:{self.drawn}"

    def below(self, bound: int) -> int:
        """A uniform whole number from 0 to bound - 1."""
        limit = (1 << 64) - (1 << 64) % bound
        while True:
            block = hashlib.sha256(f"{self._seed}:{self.drawn}".encode()).digest()
            self.drawn += 1
            number = int.from_bytes(block[:8], "big")
            if number < limit:
                return number % bound

    def between(self, low: int, high: int) -> int:
        """A uniform whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, each equally likely. [GEN-21]"""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> tuple[T, ...]:
        """The items in a uniformly random order."""
        left = list(items)
        for index in range(len(left) - 1, 0, -1):
            other = self.below(index + 1)
            left[index], left[other] = left[other], left[index]
        return tuple(left)
