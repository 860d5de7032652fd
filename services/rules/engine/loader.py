"""Loads phases, factions, cards and modules, so that all their flows, hooks, reactions and guests are registered."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from shared.dune.events import event_types

PACKAGES = (
    "services.rules.phases",
    "services.rules.factions",
    "services.rules.cards",
    "services.rules.modules",
)


@cache
def load_rules() -> tuple[str, ...]:
    """Import every rules module once; returns their names. Must have run before a game begins or is loaded."""
    event_types()
    loaded: list[str] = []
    for package in PACKAGES:
        root = importlib.import_module(package)
        for module in pkgutil.walk_packages(root.__path__, prefix=f"{package}."):
            importlib.import_module(module.name)
            loaded.append(module.name)
    return tuple(loaded)
