"""What the Revival Phase asks of factions, cards and modules: how many are free, how many may return, at what price."""

from __future__ import annotations

from services.rules.engine.hooks import Quote, quote
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.table import Piece, Table

__all__ = [
    "FreeRevival",
    "LeaderPrice",
    "RevivalLimit",
    "RevivalPrice",
    "force_price",
    "free_revival",
    "leader_price",
    "revival_limit",
]


class FreeRevival(Quote, frozen=True, kw_only=True):
    """How many forces a faction revives without paying. [REVIVAL-03, START-23]"""

    faction: Faction


class RevivalLimit(Quote, frozen=True, kw_only=True):
    """How many forces a faction revives at most by the normal rule. [REVIVAL-02]"""

    faction: Faction


class RevivalPrice(Quote, frozen=True, kw_only=True):
    """The price in spice of reviving `number` forces, of which `free` cost nothing. [REVIVAL-04]"""

    faction: Faction
    number: int
    free: int


class LeaderPrice(Quote, frozen=True, kw_only=True):
    """The price in spice of reviving a leader. [REVIVAL-15]"""

    faction: Faction
    leader: Piece


def free_revival(table: Table, faction: Faction) -> FreeRevival:
    """The free number of a faction now, with its reasons."""
    number = facts.faction(faction).free_revival
    base = FreeRevival(faction=faction).step(number, "Free forces by the faction sheet", "REVIVAL-03")
    return quote(table, base)


def revival_limit(table: Table, faction: Faction) -> RevivalLimit:
    """The limit of a faction now, with its reasons."""
    number = facts.faction(faction).revival_limit
    return quote(table, RevivalLimit(faction=faction).step(number, "Most forces in a turn", "REVIVAL-02"))


def force_price(table: Table, faction: Faction, number: int, free: int | None = None) -> RevivalPrice:
    """The price of reviving a number of forces now, with its reasons; `free`: the free number if it is known."""
    if free is None:
        free = free_revival(table, faction).value
    each = facts.faction(faction).revival_cost
    base = RevivalPrice(faction=faction, number=number, free=free)
    text = f"{each} spice for each force beyond the free ones"
    return quote(table, base.step(each * max(0, number - free), text, "REVIVAL-04"))


def leader_price(table: Table, faction: Faction, leader: Piece) -> LeaderPrice:
    """The price of reviving a leader now, with its reasons."""
    base = LeaderPrice(faction=faction, leader=leader)
    return quote(table, base.step(facts.leader(leader).strength, "The leader's strength", "REVIVAL-15"))
