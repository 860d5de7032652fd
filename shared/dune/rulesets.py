"""Rulesets: what a room pins when it begins. A newer ruleset is a delta over an older one; running games stay.

No rule asks for a version: a ruleset names the modes, factions and modules that it offers, and a later one that
changes a rule replaces the registered hook, guest or reaction by name.
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

__all__ = ["Ruleset", "rulesets"]


class Ruleset(Struct, frozen=True):
    """What a ruleset offers."""

    name: str
    modes: tuple[str, ...]
    factions: tuple[str, ...]
    modules: tuple[str, ...] = ()
    decks: tuple[tuple[str, ...], ...] = (("base",),)


@cache
def rulesets() -> dict[str, Ruleset]:
    """All rulesets that this program can play, by name."""
    classic = ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen")
    decks = (("base",), ("base", "ecaz_moritani"))
    return {"base-1": Ruleset("base-1", ("basic", "advanced"), classic, ("nexus",), decks)}
