"""What the quotes of the phases say when a seat asks *why?*: prices, limits, rates, strengths and what victory needs.

Each is told from the quote that the game itself goes by, so that it cannot say anything else than what will happen.
"""

from __future__ import annotations

from collections.abc import Iterator

from services.rules.engine.explaining import Why, explains, told
from services.rules.engine.hooks import Line
from services.rules.phases.battle_grounds import Clash, battles_of
from services.rules.phases.battle_strength import Rank, ranks_of, step_of_dial, strength_of
from services.rules.phases.charity import charity
from services.rules.phases.collection import collection_lines, stronghold_income
from services.rules.phases.hands import hand_limits
from services.rules.phases.revival_cycle import all_dead
from services.rules.phases.revival_quotes import force_price, free_revival, leader_price, revival_limit
from services.rules.phases.shipment_flow import HALF
from services.rules.phases.shipment_offer import price, ways_told
from services.rules.phases.shipment_quotes import Way, payment_goes_to, rate_of, unit_prices
from services.rules.phases.victory import counted_strongholds, parties, strongholds_needed
from shared.dune import facts
from shared.dune.facts.forces import kind_of
from shared.dune.settings import Faction
from shared.dune.table import BANK, RESERVES, Table, mark

TOLD = 2
"""For how many forces the price of a shipment is told: the fewest whose half is never rounded. [SHIP-06]"""


@explains("hand limit")
def hand_limit_why(table: Table, seat: Faction) -> Iterator[Why]:
    """How many treachery cards the seat may hold. [START-24]"""
    yield told("hand limit", "Treachery cards in your hand", hand_limits(table, seat).lines)


@explains("charity")
def charity_why(table: Table, seat: Faction) -> Iterator[Why]:
    """What the seat may claim with the spice it has now. [CHARITY-01]"""
    yield told("charity", "Spice that you may claim", charity(table, seat).lines)


@explains("revival")
def revival_why(table: Table, seat: Faction) -> Iterator[Why]:
    """Free forces, the most forces and their price, and the price of each leader that may return. [REVIVAL-02..15]"""
    free, limit = free_revival(table, seat), revival_limit(table, seat)
    yield told("revival", "Forces that you revive free", free.lines)
    yield told("revival", "Most forces that you may revive", limit.lines)
    most = force_price(table, seat, limit.value, free.value)
    yield told("revival", f"Price of {facts.counted(limit.value, 'force')} revived", most.lines)
    for leader in all_dead(table, seat):
        yield told("revival", f"Price of {facts.name(leader)}", leader_price(table, seat, leader).lines)


@explains("shipment")
def shipment_why(table: Table, seat: Faction) -> Iterator[Why]:
    """What two forces cost by each way and into each kind of place, and who is paid. [SHIP-05, SHIP-06, SHIP-07]

    The ways that a card in its hand would open are told too. What halves a shipment that has been declared counts for
    that one alone. [KARAMA-14]
    """
    table = mark(table, HALF, None)
    for way in ways_told(table, seat):
        units = unit_prices(table, seat, way)
        for unit in sorted(set(units.values())):
            places = frozenset(place for place, each in units.items() if each == unit)
            where = _where(places, way)
            yield told("shipment", f"{way.label}: {TOLD} forces{where}", _fee(table, seat, way, unit))


def _fee(table: Table, seat: Faction, way: Way, unit: int) -> Iterator[Line]:
    usual = not (way.is_free or way.unit)
    text = f"{unit} spice for each force" if unit else "This way costs nothing"
    yield Line(text, unit * TOLD, "SHIP-05" if usual else way.rule)
    if not unit:
        return
    rate = rate_of(table, seat, way)
    due = price(way, TOLD, unit, way.rate)
    if due != unit * TOLD:
        yield Line("This way costs less", due, way.rule)
    yield from (Line(line.text, price(way, TOLD, unit, line.value), line.rule) for line in rate.lines)
    due = price(way, TOLD, unit, rate.value)
    paid = payment_goes_to(table, seat, seat, way)
    yield from (Line(line.text, due, line.rule) for line in paid.lines)
    if paid.receiver == BANK:
        yield Line("The price goes to the bank", due, "SHIP-07")


def _where(places: frozenset[str], way: Way) -> str:
    """Into what kind of places: all, strongholds, others, or those of this list."""
    strongholds = frozenset(facts.strongholds())
    everywhere = frozenset(facts.territories())
    there = places - {RESERVES}
    if way.to_reserves or there == everywhere:
        return ""
    if there == strongholds:
        return " into a stronghold"
    if there == everywhere - strongholds:
        return " to any other place"
    return f" to {', '.join(facts.name(place) for place in facts.territories() if place in there)}"


@explains("collection")
def collection_why(table: Table, seat: Faction) -> Iterator[Why]:
    """What the seat would collect now, place by place, and what its strongholds yield. [COLLECT-01..COLLECT-08]"""
    for place in facts.locations():
        if lines := collection_lines(table, seat, place):
            yield told("collection", facts.name(place), lines)
    for territory in facts.territories():
        if lines := stronghold_income(table, seat, territory).lines:
            yield told("collection", f"Income of {facts.name(territory)}", lines)


@explains("strength")
def strength_why(table: Table, seat: Faction) -> Iterator[Why]:
    """What the seat's forces count in each battle that stands before it. [BATTLE-22, BATTLE-31, BATTLE-33]"""
    per = step_of_dial(table)
    for clash in battles_of(table, seat):
        where = f"{facts.name(clash.territory)} against {facts.name(clash.opponent(seat))}"
        for rank in ranks_of(table, clash, seat):
            lines = strength_of(table, seat, clash.opponent(seat), rank.like).lines
            yield told("strength", f"{where}: a {kind_of(rank.kind).one}{_as(rank)}", lines, per)
        if rows := _together(table, clash, seat):
            yield told("strength", f"{where}: all your forces, with spice for each that needs it", rows, per)


def _together(table: Table, clash: Clash, seat: Faction) -> tuple[Line, ...]:
    """The strength of all forces that take part, each in full, added up kind by kind. [BATTLE-22, BATTLE-35]"""
    total, rows = 0, []
    for rank in ranks_of(table, clash, seat):
        total += rank.number * rank.full
        words = kind_of(rank.kind).one if rank.number == 1 else kind_of(rank.kind).many
        rows.append(Line(f"{rank.number} {words}{_as(rank)}", total, "BATTLE-22"))
    return tuple(rows)


def _as(rank: Rank) -> str:
    """As what forces count that stay of their own kind; nothing as a rule."""
    return "" if rank.like == rank.kind else f" counted as {kind_of(rank.like).one}"


@explains("victory")
def victory_why(table: Table, seat: Faction) -> Iterator[Why]:
    """How many strongholds count for each player or alliance, and how many each needs. [MENTAT-03..MENTAT-07]"""
    for party in sorted(parties(table), key=lambda party: seat not in party):
        names = " and ".join(map(facts.name, party))
        held = counted_strongholds(table, party)
        lines = [Line(f"{facts.name(place)} counts", at, "MENTAT-03") for at, place in enumerate(held, 1)]
        yield told("victory", f"Strongholds of {names}", lines or [Line("None counts", 0, "MENTAT-03")])
        yield told("victory", f"Strongholds that {names} must hold", strongholds_needed(table, party).lines)
