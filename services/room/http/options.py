"""What a room may be set to, from the data that the rules read. [NEXUS-02, NEXUS-70]"""

from __future__ import annotations

from functools import cache

import msgspec

from services.room.http.replies import Chosen, Options, RulingState
from shared.dune.offered import Named, decks, modules
from shared.dune.rulesets import rulesets
from shared.dune.rulings import Ruling, rulings

__all__ = ["offered"]


@cache
def offered(ruleset: str) -> Options:
    """Everything that rooms of a ruleset may choose."""
    found = rulesets()[ruleset]
    named = {**modules(), **decks()}
    return Options(
        modes=list(found.modes),
        factions=list(found.factions),
        modules=[_chosen(named[name]) for name in found.modules],
        decks=[[_chosen(named[name]) for name in combination] for combination in found.decks],
        rulings=[_ruling(one) for one in rulings().values() if one.offered],
    )


def _chosen(one: Named) -> Chosen:
    return msgspec.convert(one, Chosen, from_attributes=True)


def _ruling(one: Ruling) -> RulingState:
    return RulingState(
        one.id,
        one.name,
        one.question,
        list(one.values),
        list(one.offered),
        list(one.modes),
        one.module,
        one.deck,
        list(one.settled_by),
        one.fixed,
    )
