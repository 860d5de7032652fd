"""Storm cards, and whether a game plays with them. [START-22, STORM-08]"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from shared.dune import facts
from shared.dune.rulings import rulings
from shared.dune.settings import Settings

__all__ = ["has_storm_deck", "sectors_of_card", "storm_cards"]

RULING = "storm_deck_without_fremen"


@cache
def storm_cards() -> dict[str, int]:
    """The storm cards with how many sectors the storm moves by each. [START-22, STORM-06]"""
    text = resources.files("shared.dune.facts").joinpath("storm.toml").read_text("utf-8")
    return {row["id"]: row["sectors"] for row in tomllib.loads(text)["card"]}


def sectors_of_card(card: str) -> int:
    """How many sectors the storm moves by a card; KeyError if it is none."""
    return storm_cards()[card]


def has_storm_deck(settings: Settings) -> bool:
    """Whether a game has a storm deck: Advanced, and a faction that brings it, or by ruling. [START-22, STORM-08]"""
    if settings.mode != "advanced":
        return False
    ruled = settings.rulings.get(RULING, rulings()[RULING].default) == "on"
    return ruled or any(facts.faction(faction).storm_deck for faction in settings.seats)
