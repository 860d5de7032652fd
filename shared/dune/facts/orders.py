"""The windows about small things, which one standing order passes together. [WINPOL-08]"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

__all__ = ["small_windows"]


@cache
def small_windows() -> frozenset[str]:
    """The kinds of windows, as offers name them, that are small things of others to most people."""
    text = resources.files("shared.dune.facts").joinpath("orders.toml").read_text("utf-8")
    return frozenset(tomllib.loads(text)["small"])
