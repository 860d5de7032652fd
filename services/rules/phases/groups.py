"""Forces that set out together, as an answer names them: by the place that they leave, and by kind."""

from __future__ import annotations

from typing import TypeAlias

from shared.dune.shapes import Json
from shared.dune.table import Kinds

__all__ = ["Groups", "cleaned", "number_of"]

Groups: TypeAlias = dict[str, Kinds]


def cleaned(chosen: Json) -> Groups:
    """The forces of an answer without zeros."""
    groups = {
        place: {kind: number for kind, number in kinds.items() if number} for place, kinds in chosen.items()
    }
    return {place: kinds for place, kinds in groups.items() if kinds}


def number_of(groups: Groups) -> int:
    """How many forces they are."""
    return sum(sum(kinds.values()) for kinds in groups.values())
