"""Ways over the board: which locations a group can reach. Steps within a territory are free. [MOVE-08, MOVE-09]"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

from shared.dune import facts

__all__ = ["connected", "reachable"]


@cache
def _graph() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """For each location its neighbours in its own territory, and those in others. [MAP-12]"""
    found: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for place, fact in facts.locations().items():
        inner = tuple(n for n in fact.neighbours if n.partition(":")[0] == fact.territory)
        found[place] = inner, tuple(n for n in fact.neighbours if n not in inner)
    return found


def _spread(places: Iterable[str], seen: set[str], barred: frozenset[str]) -> list[str]:
    """The places and all that can be reached from them within their territories; adds to `seen`."""
    graph = _graph()
    found = list(places)
    for place in found:
        for near in graph[place][0]:
            if near not in seen and near not in barred:
                seen.add(near)
                found.append(near)
    return found


def connected(place: str, barred: frozenset[str] = frozenset()) -> frozenset[str]:
    """The part of a territory that hangs together with a location when some locations are barred. [MOVE-02]"""
    seen = {place}
    _spread([place], seen, barred)
    return frozenset(seen)


@lru_cache(maxsize=512)
def reachable(
    place: str, steps: int, barred: frozenset[str] = frozenset(), ends: frozenset[str] = frozenset()
) -> frozenset[str]:
    """All locations within `steps` territories of a location, itself left out, none of them or between them barred.

    Of barred ones those in `ends` are reached too, but lead no further. The start may be barred itself: whether forces
    may leave it is the caller's question. [MOVE-09]
    """
    graph = _graph()
    seen = {place}
    edge = _spread([place], seen, barred)
    for _ in range(steps):
        entered: list[str] = []
        for here in edge:
            for near in graph[here][1]:
                if near in seen or (near in barred and near not in ends):
                    continue
                seen.add(near)
                if near not in barred:
                    entered.append(near)
        edge = _spread(entered, seen, barred)
    seen.discard(place)
    return frozenset(seen)
