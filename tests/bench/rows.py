"""All rows, in the order in which they are printed. A module names its rows in `ROWS`."""

from __future__ import annotations

from importlib import import_module

from tests.bench.model import Row

__all__ = ["MODULES", "chosen", "every"]

MODULES: tuple[str, ...] = ("action", "busy", "append", "engine", "folding", "table", "rest", "start")
"""Modules of this package that measure; one or a few rows each."""


def every() -> list[Row]:
    """Every row there is."""
    return [row for name in MODULES for row in import_module(f"tests.bench.{name}").ROWS]


def chosen(names: str) -> list[Row]:
    """The rows that a comma-separated list names (all for an empty one). ValueError names those that exist."""
    rows = every()
    wanted = [name.strip() for name in names.replace(" ", ",").split(",") if name.strip()]
    known = {row.name for row in rows}
    if unknown := [name for name in wanted if name not in known]:
        raise ValueError(f"no row {', '.join(unknown)}; there are: {', '.join(row.name for row in rows)}")
    return [row for row in rows if not wanted or row.name in wanted]
