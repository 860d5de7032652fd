"""What the Revival Phase asks of factions, cards and modules: how many are free, how many may return, at what price."""

from __future__ import annotations

from services.rules.engine.hooks import Quote, contributes, quote
from services.rules.engine.play import Play
from services.rules.engine.watching import watches
from services.rules.phases.groups import normal_first
from shared.dune import facts
from shared.dune.events.forces import ForcesMoved
from shared.dune.facts.forces import kind_of
from shared.dune.facts.special import special_leaders
from shared.dune.settings import Faction
from shared.dune.table import TANKS, Kinds, Piece, Table

__all__ = [
    "FreeRevival",
    "KindRevivals",
    "LeaderPrice",
    "RevivalLimit",
    "RevivalPrice",
    "force_price",
    "free_revival",
    "leader_price",
    "revivable_kinds",
    "revival_limit",
]

ELITES = 1
"""Elite forces that a faction revives in a turn. [REVIVAL-07]"""


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


class KindRevivals(Quote, frozen=True, kw_only=True):
    """How many forces of one kind a faction may still revive this turn, by whatever means. [REVIVAL-07]"""

    faction: Faction
    kind: str


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


def revivable_kinds(table: Table, faction: Faction) -> Kinds:
    """The forces in the tanks that may still return this turn, by kind, normal ones first. [REVIVAL-07, REVIVAL-22]"""
    found: Kinds = {}
    for kind, number in normal_first(table.kinds_at(TANKS, faction)).items():
        if left := quote(table, KindRevivals(faction=faction, kind=kind, value=number)).value:
            found[kind] = left
    return found


def revived_mark(faction: Faction) -> str:
    """The public mark that counts the elite forces which a faction has revived this turn. [REVIVAL-07]"""
    return f"turn.elites_revived.{faction}"


@contributes(KindRevivals, rule="REVIVAL-07")
def one_elite_a_turn(revivals: KindRevivals, table: Table) -> KindRevivals:
    """At most one elite force a turn, by all means together. [REVIVAL-07, GHOLA-05, EMP-14, EMP-17]"""
    if not kind_of(revivals.kind).elite:
        return revivals
    left = max(0, ELITES - table.count(revived_mark(revivals.faction)))
    return revivals.step(min(revivals.value, left), "One elite force a turn", "REVIVAL-07")


@watches(ForcesMoved, rule="REVIVAL-07")
def elite_revived(play: Play, moved: ForcesMoved) -> None:
    """An elite force has left the tanks, by whatever means. [REVIVAL-07]"""
    number = sum(number for kind, number in moved.kinds.items() if kind_of(kind).elite)
    if moved.source == TANKS and number:
        name = revived_mark(moved.faction)
        play.set_public(name, play.table.count(name) + number)


def leader_price(table: Table, faction: Faction, leader: Piece) -> LeaderPrice:
    """The price of reviving a leader now, with its reasons."""
    base = LeaderPrice(faction=faction, leader=leader)
    if (special := special_leaders().get(leader)) is not None:
        return quote(table, base.step(special.revival_price, f"The price of the {special.name}", "ATR-26"))
    return quote(table, base.step(facts.leader(leader).strength, "The leader's strength", "REVIVAL-15"))
