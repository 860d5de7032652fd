"""The question put to everybody in the Revival Phase: how many forces, and which leader if any."""

from __future__ import annotations

from services.rules.engine.hooks import Quote, quote
from services.rules.engine.offering import offer
from services.rules.phases.groups import taken
from services.rules.phases.promises import available_spice
from services.rules.phases.revival_cycle import all_dead, may_revive, revivable, why_not
from services.rules.phases.revival_quotes import (
    force_price,
    free_revival,
    leader_price,
    revivable_kinds,
    revival_limit,
)
from shared.dune import facts
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Amounts, Fields, Off, Variant
from shared.dune.table import Kinds, Table

__all__ = ["NO_LEADER", "AskedToRevive", "can_revive", "revival_offer"]

NO_LEADER = "no_leader"
"""The answer that revives no leader; any other `do` is the leader to revive."""


class AskedToRevive(Quote, frozen=True, kw_only=True):
    """Whether a faction is asked in the phase (1), by public facts; 0: it has nothing to do in it. [REACT-30]"""

    faction: Faction


def can_revive(table: Table, seat: Faction) -> bool:
    """Whether by public facts there is something to revive: spice is secret, so that the price does not matter."""
    forces = revivable_kinds(table, seat) and revival_limit(table, seat).value
    known = int(bool(forces) or may_revive(table, seat))
    return bool(quote(table, AskedToRevive(faction=seat, value=known)).value)


def revival_offer(table: Table, seat: Faction) -> Offer:
    """Forces by kind and at most one leader, as far as the seat's own spice goes. [REVIVAL-02, REVIVAL-14, REVIVAL-21]

    The price is explained line by line. Default: the free forces, normal ones first. [REVIVAL-22]
    """
    spice, kinds = available_spice(table, seat), revivable_kinds(table, seat)
    free, limit = free_revival(table, seat), revival_limit(table, seat)
    most = min(limit.value, sum(kinds.values()))
    prices = [force_price(table, seat, number, free.value).value for number in range(most + 1)]
    variants = {NO_LEADER: Fields({"forces": _forces(kinds, prices, spice)})}
    labels = {NO_LEADER: "No leader"}
    off: dict[str, Off] = {}
    open_leaders = revivable(table, seat)
    for leader in all_dead(table, seat):
        price = leader_price(table, seat, leader).value
        labels[leader] = f"Revive {facts.name(leader)} for {price} spice"
        reason, rule = ("", "") if leader in open_leaders else why_not(table, seat)
        if not reason and price > spice:
            reason, rule = f"It costs {price} spice; you have {spice}.", "REVIVAL-15"
        if reason:
            off[leader] = Off(reason, rule)
        else:
            variants[leader] = Fields({"forces": _forces(kinds, prices, spice - price)})
    return offer(
        seat,
        "revival",
        "Revive forces, and a leader where the rules let you.",
        Variant(variants, labels, off),
        default={"do": NO_LEADER, "forces": taken(kinds, min(free.value, most))},
        about={
            "free": free.value,
            "limit": limit.value,
            "prices": [str(price) for price in prices],
            "reasons": [line.text for line in (*free.lines, *limit.lines)],
        },
        rules=("REVIVAL-01", *(line.rule for line in (*free.lines, *limit.lines))),
    )


def _forces(kinds: Kinds, prices: list[int], spice: int) -> Amounts:
    """As many forces as a sum of spice pays for; `prices` of 0, 1, 2... forces. [REVIVAL-03, REVIVAL-04]"""
    most = max(number for number, price in enumerate(prices) if price <= spice)
    return Amounts({kind: min(number, most) for kind, number in kinds.items()}, 0, most, rule="REVIVAL-04")
