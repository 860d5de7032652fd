"""What is wrong with an answer, and what an answer is: plain JSON."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

__all__ = ["Json", "Problem"]

Json: TypeAlias = Any
"""A JSON value: the one place where the type of a thing is not known is the border."""


class Problem(Struct, frozen=True):
    """Why a value is not a legal answer: where in it, what is wrong, and the rule that says so."""

    path: str
    text: str
    rule: str = ""

    def under(self, key: str) -> Problem:
        """The same problem seen from one level further out."""
        return Problem(f"{key}.{self.path}" if self.path else key, self.text, self.rule)
