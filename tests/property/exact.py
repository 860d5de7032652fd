"""What may be shipped and moved, worked out by a slow search that knows the rules and the table alone.

Everything here is written from `docs/rules` alone, the long way: place by place, force by force.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from services.rules.engine.rulings import ruling
from shared.dune import facts
from shared.dune.table import RESERVES, Table

BG, FREMEN, GUILD = "bene_gesserit", "fremen", "guild"
CITIES = ("arrakeen:9", "carthag:10")
HELP, FORCES = "ally_part", "forces"


def others_in(table: Table, territory: str, seat: str) -> int:
    """How many other players count for the limit of a stronghold: advisors do not. [MAP-15, BG-23]"""
    there = {
        faction
        for place in facts.locations_of(territory)
        for faction, kinds in table.forces.get(place, {}).items()
        if any(number for kind, number in kinds.items() if kind != "advisor")
    }
    return len(there - {seat})


def own_advisors_in(table: Table, territory: str) -> bool:
    """Whether Bene Gesserit has advisors in a territory."""
    return any("advisor" in table.kinds_at(place, BG) for place in facts.locations_of(territory))


def is_off(table: Table, power: str) -> bool:
    """Whether a power is cancelled now."""
    return table.is_set(f"cancelled.{power}")


def lends_rate(table: Table, seat: str) -> bool:
    """Whether the Guild, its ally, lets a seat ship at its rates. [GUILD-17, GUILD-21]"""
    said = table.names("permit.guild.ally_rate.guild")
    return table.are_allied(GUILD, seat) and not (said and said[0] == seat and said[1] == "withheld")


def ways(table: Table, seat: str) -> dict[str, dict[str, Any]]:
    """The ways to ship of a seat: from where, whether free, its rate.

    [SHIP-04, GUILD-05, GUILD-18, FRE-03, FRE-06, KARAMA-14, KARAMA-16] With which card Bene Gesserit pays is left out.
    """
    guild, lent = seat == GUILD, lends_rate(table, seat)
    half = (guild and not is_off(table, "guild.rate")) or (lent and not is_off(table, "guild.ally_rate"))
    rate = 2 if half or table.is_set("phase.shipping.half") else 1
    cross = (guild or lent) and not is_off(table, "guild.planet_shipping")
    found = {"ship": {"reserves": True, "board": False, "free": seat == FREMEN, "rate": rate}}
    holds = any(facts.face(card) == "karama" for card in table.hand(seat))
    if holds and rate == 1 and seat not in (BG, FREMEN):
        found["ship_karama"] = {**found["ship"], "rate": 2}
    if seat == FREMEN:
        cross = cross and ruling(table, "fremen_guild_shipping") == "on"
    if cross:
        found["cross_ship"] = {
            "reserves": seat == FREMEN,
            "board": True,
            "free": False,
            "rate": 2 if half else 1,
        }
    if cross and guild:
        found["return"] = {"reserves": False, "board": True, "free": False, "rate": 2 if half else 1}
    return found | by_cards(table, seat, found)


def by_cards(table: Table, seat: str, found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The ways that the Nexus card of a seat opens, and those of one that is spent for the shipment now declared.

    [NEXUS-24, NEXUS-26, NEXUS-GUILD-24..30, NEXUS-RICH-01..03]
    """
    held = {facts.face(card) for card in table.zones.get(f"nexus.{seat}", ())}
    if table.ally_of(seat):
        held = set()
    opened = table.names("phase.shipping.opened")
    spent = opened[1] if opened and opened[0] == seat else ""
    more: dict[str, dict[str, Any]] = {}
    if GUILD not in table.seats and ("nexus_guild" in held or spent == "nexus_guild"):
        more["nexus_ship"] = {"reserves": True, "board": False, "free": False, "rate": 2}
        more["nexus_cross_ship"] = {"reserves": False, "board": True, "free": False, "rate": 2}
        more["nexus_return"] = {"reserves": False, "board": True, "free": False, "rate": 2}
    excluded = (
        ruling(table, "nexus.guild.betrayal_producers") == "preview_exclusions" and GUILD in table.seats
    )
    if ("nexus_richese" in held and not excluded) or spent == "nexus_richese":
        more["nexus_five_as_one"] = {**found["ship"], "most": 5}
        if "ship_karama" in found:
            more["nexus_five_as_one_karama"] = {**found["ship_karama"], "most": 5}
    return more


def price(way: dict[str, Any], number: int, to: str) -> int:
    """What so many forces cost. [SHIP-05, SHIP-06, GUILD-08]"""
    if way["free"]:
        return 0
    cheap = to == RESERVES or facts.territory_of(to).is_stronghold
    charged = min(number, 1) if "most" in way else number
    full = charged * (1 if cheap else 2)
    return full if way["rate"] == 1 else (full + 1) // 2


def funds(table: Table, seat: str) -> tuple[int, int]:
    """Own spice, and what the ally pays at most. [SHIP-08]"""
    ally = table.ally_of(seat)
    said = table.names(f"promise.shipments.{ally}") if ally else ()
    return table.spice_of(seat), min(int(said[1]), table.spice_of(ally or "")) if said and said[
        0
    ] == seat else 0


def may_land(table: Table, seat: str, way: dict[str, Any], to: str) -> bool:
    """Storm, the limit of strongholds, the Fremen area. [SHIP-11, SHIP-12, BG-51, FRE-03, FRE-27]"""
    territory = facts.territory_of(to)
    joins = seat == BG and own_advisors_in(table, territory.id)
    if territory.is_stronghold and others_in(table, territory.id, seat) >= 2 and not joins:
        return False
    if joins and ruling(table, "ship_to_advisors") == "forbid":
        return False
    if way["free"]:
        storm_bars = not table.is_advanced() or is_off(table, "fremen.storm_entry")
        return territory.fremen_placement and not (storm_bars and table.in_storm(to))
    return not table.in_storm(to)


def may_ship(table: Table, seat: str, name: str, source: str, number: int, to: str) -> bool:
    """Whether a seat may ship so many forces from a place to another in one of its ways."""
    way = ways(table, seat).get(name)
    if way is None or not 1 <= number <= min(table.number_at(source, seat), way.get("most", 20)):
        return False
    if not way["reserves" if source == RESERVES else "board"]:
        return False
    if source != RESERVES and table.in_storm(source):
        return False
    if (name in ("return", "nexus_return")) != (to == RESERVES):
        return False
    if to != RESERVES:
        if source != RESERVES and facts.territory_of(source) == facts.territory_of(to):
            return False
        if not may_land(table, seat, way, to):
            return False
    return price(way, number, to) <= sum(funds(table, seat))


def shipments(table: Table, seat: str) -> Iterator[tuple[dict[str, Any], bool]]:
    """Answers to the question of the shipment from one place each, with whether they are legal."""
    help_ = funds(table, seat)[1]
    sources = [RESERVES, *table.places_of(seat)]
    names = (
        ("ship", "cross_ship", "return") if seat == BG else ("ship", "ship_karama", "cross_ship", "return")
    )
    for name in (*names, *by_cards(table, seat, ways(table, seat))):
        way = ways(table, seat).get(name, {"free": False, "rate": 1})
        for source in sources:
            there = table.kinds_at(source, seat)
            most = sum(there.values())
            for to in (*facts.locations(), RESERVES):
                paid = [n for n in range(most + 1) if price(way, n, to) <= sum(funds(table, seat))]
                edges = {5, 6} if "most" in way else set[int]()
                for number in sorted({1, *edges, paid[-1], paid[-1] + 1, most, most + 1} - {0}):
                    group = {source: picked(there, number)}
                    given = {"do": name, FORCES: {"from": group, "to": to}}
                    more = {HELP: 0} if help_ and not way["free"] else {}
                    yield given | more, may_ship(table, seat, name, source, number, to)


def payments(
    table: Table, seat: str, name: str, number: int, to: str, help_: int
) -> dict[tuple[str, str], int]:
    """Who pays whom how much for a shipment, of which the ally pays `help_`.

    [SHIP-07, SHIP-09, GUILD-03..GUILD-06, NEXUS-GUILD-37]
    """
    taken = table.value("phase.shipping.taken")
    due, ally = price(ways(table, seat)[name], number, to), table.ally_of(seat) or ""
    found: dict[tuple[str, str], int] = {}
    for payer, amount in ((seat, due - help_), (ally, help_)):
        receiver = GUILD if GUILD in table.seats and _guild_is_paid(table, seat, payer, name) else "bank"
        receiver = str(taken) if taken else receiver
        if amount and receiver != payer:
            found[payer, receiver] = amount
    return found


def _guild_is_paid(table: Table, seat: str, payer: str, name: str) -> bool:
    """Two rulings, a cancelled payment, and Karama, which is paid to the bank. [SHIP-17, GUILD-27]"""
    halved = table.is_set("phase.shipping.half") and name in ("ship", "ship_karama") and seat != FREMEN
    if halved or is_off(table, "guild.payment"):
        return False
    if seat == GUILD:
        return payer != GUILD and ruling(table, "ally_pays_guild_shipment") == "to_guild"
    return payer != GUILD or ruling(table, "own_contribution_returns") == "back_to_owner"


def picked(kinds: dict[str, int], number: int) -> dict[str, int]:
    """So many forces of a stack; more than there are of the last kind, if they are more."""
    found: dict[str, int] = {}
    for kind, there in sorted(kinds.items()):
        if taken := min(there, number - sum(found.values())):
            found[kind] = taken
    if found and (left := number - sum(found.values())) > 0:
        found[max(found)] += left
    return found or {"regular": number}


def reached(table: Table, seat: str, start: str) -> set[str]:
    """Every place at which a group from a place may end its movement: steps within a territory are free.

    [MOVE-03..MOVE-09, MOVE-15, BG-51, FRE-07]
    """
    stays = "advisor" in table.kinds_at(start, seat)
    flies = not stays and any(set(table.kinds_at(city, seat)) - {"advisor"} for city in CITIES)
    far = 2 if seat == FREMEN and not is_off(table, "fremen.movement") else 1
    steps = 3 if flies else far
    seen, edge = {start: 0}, {start: 0}
    while edge:
        grown: dict[str, int] = {}
        for place, cost in edge.items():
            if place != start and not _lets_in(table, seat, place, stays, passing=True):
                continue
            for near in facts.location(place).neighbours:
                paid = cost + (facts.territory_of(near) != facts.territory_of(place))
                if (
                    paid <= steps
                    and paid < seen.get(near, 99)
                    and _lets_in(table, seat, near, stays, passing=False)
                ):
                    grown[near] = seen[near] = paid
        edge = grown
    return {place for place in seen if place != start and _may_stop(table, seat, place, stays)}


def _lets_in(table: Table, seat: str, place: str, stays: bool, *, passing: bool) -> bool:
    territory = facts.territory_of(place)
    if table.in_storm(place):
        return False
    if not territory.is_stronghold or others_in(table, territory.id, seat) < 2:
        return True
    if seat != BG:
        return False
    own = own_advisors_in(table, territory.id)
    if stays:
        return own or ruling(table, "advisors_in_full_stronghold") == "allowed"
    return own and not passing


def _may_stop(table: Table, seat: str, place: str, stays: bool) -> bool:
    """Not with an ally, but in the Polar Sink or where a ruling lets them. [MOVE-15, ALLY-15]"""
    ally, apart = table.ally_of(seat), ruling(table, "advisors_separate") == "on"
    if ally is None or place == facts.POLAR_SINK or ruling(table, "move_end_on_ally") == "on":
        return True
    if stays and not apart:
        return True
    there = facts.locations_of(facts.territory_of(place).id)
    kinds = {kind for one in there for kind in table.kinds_at(one, ally)}
    return not (kinds if apart else kinds - {"advisor"})


def hang_together(table: Table, one: str, other: str) -> bool:
    """Whether two places are of one territory and no storm lies between them. [MOVE-02]"""
    home, seen, edge = facts.territory_of(one), {one}, [one]
    while edge:
        for near in facts.location(edge.pop()).neighbours:
            if facts.territory_of(near) == home and near not in seen and not table.in_storm(near):
                seen.add(near)
                edge.append(near)
    return other in seen


def movements(table: Table, seat: str) -> Iterator[tuple[dict[str, Any], bool]]:
    """Answers that move forces from one place or from two, with whether they are legal. [MOVE-01, MOVE-11]"""
    held = list(table.places_of(seat))
    reach = {place: set() if table.in_storm(place) else reached(table, seat, place) for place in held}
    for place in held:
        there = table.kinds_at(place, seat)
        most = sum(there.values())
        for to in facts.locations():
            for number in (1, most, most + 1):
                legal = to in reach[place] and number <= most
                yield _moves({place: picked(there, number)}, to), legal
    for one in held:
        for other in (place for place in held if place > one):
            for to in facts.locations():
                group = {place: picked(table.kinds_at(place, seat), 1) for place in (one, other)}
                fits = to in reach[one] and to in reach[other]
                yield _moves(group, to), fits and hang_together(table, one, other)


def _moves(group: dict[str, Any], to: str) -> dict[str, Any]:
    return {"do": "move", "group": {"from": group, "to": to}}
