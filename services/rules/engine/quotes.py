"""The kinds of quotes that phases ask for. Each names its question in its fields; who contributes is not known here."""

from __future__ import annotations

from services.rules.engine.hooks import Quote
from shared.dune.settings import Faction

__all__ = ["HandLimit", "StartingCards", "TraitorsKept"]


class TraitorsKept(Quote, frozen=True, kw_only=True):
    """How many of the dealt traitor cards a faction keeps. [START-07, START-09]"""

    faction: Faction


class StartingCards(Quote, frozen=True, kw_only=True):
    """How many treachery cards a faction draws at setup. [START-19]"""

    faction: Faction


class HandLimit(Quote, frozen=True, kw_only=True):
    """How many treachery cards a faction may hold. [START-24]"""

    faction: Faction
