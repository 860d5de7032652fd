"""The twelve Nexus cards: one for each faction, whoever plays. [NEXUS-01]"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

__all__ = ["MODES", "MODULE", "NexusCard", "has_nexus_cards", "nexus_card_of", "nexus_cards"]

MODULE = "nexus"
"""The name of the module in a game's settings."""

MODES = ("cunning", "betrayal", "secret_ally")
"""The three panels of each card. [NEXUS-24]"""


class NexusCard(Struct, frozen=True):
    """A Nexus card: the faction on it, and its three panels in our words. [NEXUS-01, NEXUS-24]

    `when`: at what time a panel may be played; `counter`: what may stop it, where anything may. Both by panel.
    """

    id: str
    faction: str
    betrayal: str
    cunning: str
    secret_ally: str
    when: dict[str, str]
    counter: dict[str, str] = {}

    def panel(self, mode: str) -> str:
        """The text of one panel; AttributeError for another word than `cunning`, `betrayal` and `secret_ally`."""
        return str(getattr(self, mode))


@cache
def nexus_cards() -> dict[str, NexusCard]:
    """All Nexus cards by id."""
    text = resources.files("shared.dune.facts").joinpath("modules.toml").read_text("utf-8")
    rows = msgspec.convert(tomllib.loads(text)["nexus_card"], list[NexusCard])
    return {row.id: row for row in rows}


def nexus_card_of(faction: str) -> str:
    """The Nexus card of a faction; KeyError if it is none of the twelve."""
    card = f"nexus_{faction}"
    return nexus_cards()[card].id


def has_nexus_cards(modules: tuple[str, ...]) -> bool:
    """Whether a game with these modules is played with Nexus cards. [NEXUS-02]"""
    return MODULE in modules
