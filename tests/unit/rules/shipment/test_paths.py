"""The path search against a slow reference that only knows the rule. [MOVE-08, MOVE-09]"""

from __future__ import annotations

import pytest

from services.rules.phases.movement_offer import groups
from services.rules.phases.movement_paths import connected, reachable
from services.rules.staging import stage
from shared.dune import facts

FAR = 99


def slow_costs(start: str, barred: frozenset[str]) -> dict[str, int]:
    """The least number of territories entered on the way to every location: tries every step until none is better."""
    least = dict.fromkeys(facts.locations(), FAR)
    least[start] = 0
    better = True
    while better:
        better = False
        for place, fact in facts.locations().items():
            if least[place] == FAR:
                continue
            for near in fact.neighbours:
                cost = least[place] + (facts.territory_of(near) != facts.territory_of(place))
                if near not in barred and cost < least[near]:
                    least[near] = cost
                    better = True
    return least


def within(costs: dict[str, int], start: str, steps: int) -> frozenset[str]:
    return frozenset(place for place, cost in costs.items() if cost <= steps and place != start)


def storm_at(sector: int) -> frozenset[str]:
    return frozenset(place for place in facts.locations() if facts.sector_of(place) == sector)


@pytest.mark.parametrize("sector", range(1, facts.SECTORS + 1))
def test_every_start_under_every_storm(sector: int) -> None:
    barred = storm_at(sector)
    for start in facts.locations():
        if start in barred:
            continue
        costs = slow_costs(start, barred)
        for steps in (0, 1, 2, 3):
            assert reachable(start, steps, barred) == within(costs, start, steps), (start, steps)


@pytest.mark.parametrize(
    "full", [("arrakeen", "carthag"), ("sietch_tabr", "habbanya_sietch", "tueks_sietch")]
)
def test_full_strongholds_bar_the_way(full: tuple[str, ...]) -> None:
    closed = {place for territory in full for place in facts.locations_of(territory)}
    for sector in (4, 13):
        barred = storm_at(sector) | closed
        for start in facts.locations():
            if start not in barred:
                assert reachable(start, 3, barred) == within(slow_costs(start, barred), start, 3), start


def test_what_may_be_entered_but_not_passed_leads_nowhere() -> None:
    """Such a place is reached as if it were open, and everything else as if it were closed. [BG-51]"""
    ends = frozenset(place for name in ("arrakeen", "sietch_tabr") for place in facts.locations_of(name))
    for start in facts.locations().keys() - ends:
        for steps in (1, 3):
            closed, open_ = reachable(start, steps, ends), reachable(start, steps)
            apart = {place for place in ends if place in reachable(start, steps, ends - {place})}
            assert reachable(start, steps, ends, ends) == closed | apart, start
            assert apart <= open_


def test_neighbours_are_mutual_and_keep_to_adjacent_territories() -> None:
    """[MAP-12]"""
    for place, fact in facts.locations().items():
        for near in fact.neighbours:
            assert place in facts.location(near).neighbours
            other = facts.territory_of(near).id
            assert other == fact.territory or other in facts.territory(fact.territory).adjacent
    for territory in facts.territories().values():
        for other in territory.adjacent:
            assert territory.id in facts.territory(other).adjacent
            assert any(
                near in facts.locations_of(other)
                for place in territory.locations
                for near in facts.location(place).neighbours
            )


def test_storm_in_the_middle_cuts_a_territory() -> None:
    """[MOVE-02]"""
    assert connected("cielago_north:18", storm_at(1)) == {"cielago_north:18"}
    assert connected("cielago_north:18", storm_at(5)) == set(facts.locations_of("cielago_north"))


def test_the_offer_is_exact_with_all_limits_at_once() -> None:
    """Storm, a full stronghold, an ally, ornithopters and several sources together. [MOVE-08, MOVE-15]"""
    table = stage(
        {
            "seats": ["harkonnen", "atreides", "guild", "emperor"],
            "phase": "battle",
            "storm": 9,
            "harkonnen": {
                "forces": {"carthag": 1, "cielago_north:1": 2, "old_gap:10": 3, "old_gap:9": 1},
                "ally": "emperor",
            },
            "atreides": {"forces": {"arrakeen": 2, "tueks_sietch": 2}, "ally": "none"},
            "guild": {"forces": {"arrakeen": 2, "tueks_sietch": 2}},
            "emperor": {"forces": {"tsimpo:12": 2, "polar_sink": 1}, "ally": "harkonnen"},
        }
    ).game.table
    shape = groups(table, "harkonnen")
    assert {source.place for source in shape.sources} == {"carthag:10", "cielago_north:1", "old_gap:10"}
    barred = storm_at(9) | set(facts.locations_of("arrakeen")) | set(facts.locations_of("tueks_sietch"))
    reach = {s.place: within(slow_costs(s.place, barred), s.place, 3) for s in shape.sources}
    for place in facts.locations():
        target = shape.target(place)
        wanted = {start for start, places in reach.items() if place in places}
        if place.startswith("tsimpo:"):
            wanted = set()
        assert set(target.sources if target and not target.off else ()) == wanted, place
