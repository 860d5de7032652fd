"""Rulings: named choices on disputed points, each with a documented default, fixed at the start of a game.

The catalogue is data (`shared/dune/facts/rulings.toml`): name, values (the default first), and for values that
are not offered the reason why.
"""

from __future__ import annotations

from shared.dune.rulings import rulings
from shared.dune.table import Table

__all__ = ["ruling"]


def ruling(table: Table, name: str) -> str:
    """The value of a ruling in this game: the room's own, else the default; KeyError for an unknown name."""
    known = rulings()[name]
    return table.settings.rulings.get(name, known.default)
