"""The map's outlines as smooth SVG paths, drawn from our own schematic geometry. [MAP-01]

The schematic gives straight borders. Here borders that two territories share become one chain of points, which is
bent a little and rounded once, so that both neighbours get the very same curve: no gap and no overlap.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TypeAlias

__all__ = ["anchors", "territory_paths"]

Point: TypeAlias = tuple[float, float]

SNAP = 0.0075
"""Points nearer than this (the disc's radius is 1) are one point."""
STEP = 0.035
"""Length of the pieces into which a border is cut before it is bent."""
BEND = 0.011
"""How far a border leaves the straight line at most."""


@cache
def geometry() -> dict[str, dict[str, dict[str, list[list[float]]]]]:
    """The schematic: `territories` with outlines and label places, `locations` with polygons and anchors."""
    text = resources.files("shared.dune.facts").joinpath("map_geometry.json").read_text("utf-8")
    found: dict[str, dict[str, dict[str, list[list[float]]]]] = json.loads(text)
    return found


def anchors() -> dict[str, list[float]]:
    """Where the tokens of each location stand."""
    places: dict[str, list[float]] = {}
    for name, place in geometry()["locations"].items():
        x, y = place["anchor"]
        places[name] = [round(float(x), 4), round(float(y), 4)]  # type: ignore[arg-type]
    return places


def territory_paths() -> dict[str, str]:
    """An SVG path for each territory's outline; the unit disc is the planet."""
    rings = _split(_snapped())
    degree: dict[Point, set[Point]] = defaultdict(set)
    for ring in rings.values():
        for one, other in _pairs(ring):
            degree[one].add(other)
            degree[other].add(one)
    curves: dict[tuple[Point, ...], list[Point]] = {}
    return {
        name: _path(_chains(ring, {p for p in ring if len(degree[p]) > 2}), curves)
        for name, ring in rings.items()
    }


def _snapped() -> dict[str, list[Point]]:
    """The outlines with points that are nearly the same made the same, and no point twice in a row."""
    known: dict[tuple[int, int], list[Point]] = defaultdict(list)

    def snap(point: Iterable[float]) -> Point:
        x, y = point
        cell = (math.floor(x / SNAP), math.floor(y / SNAP))
        for i in (-1, 0, 1):
            for j in (-1, 0, 1):
                for near in known[cell[0] + i, cell[1] + j]:
                    if math.dist(near, (x, y)) < SNAP:
                        return near
        known[cell].append((x, y))
        return x, y

    rings: dict[str, list[Point]] = {}
    # Corners first: they are shared by most outlines, points of an arc by two.
    for name, shape in sorted(geometry()["territories"].items(), key=lambda item: len(item[1]["outline"])):
        rings[name] = _tidy([snap(point) for point in shape["outline"]])
    return rings


def _tidy(ring: list[Point]) -> list[Point]:
    """A closed ring without repeated points and without spikes that go out and back."""
    kept: list[Point] = []
    for point in ring:
        if kept and kept[-1] == point:
            continue
        if len(kept) > 1 and kept[-2] == point:
            kept.pop()
            continue
        kept.append(point)
    while len(kept) > 2 and kept[0] == kept[-1]:
        kept.pop()
    return kept


def _split(rings: dict[str, list[Point]]) -> dict[str, list[Point]]:
    """Every ring with the corners of its neighbours that lie on its edges."""
    points = sorted({point for ring in rings.values() for point in ring})
    result: dict[str, list[Point]] = {}
    for name, ring in rings.items():
        fuller: list[Point] = []
        for one, other in _pairs(ring):
            fuller.append(one)
            fuller.extend(_between(one, other, points))
        result[name] = _tidy(fuller)
    return result


def _between(one: Point, other: Point, points: list[Point]) -> list[Point]:
    length = math.dist(one, other)
    found: list[tuple[float, Point]] = []
    for point in points:
        near_x = min(one[0], other[0]) - SNAP <= point[0] <= max(one[0], other[0]) + SNAP
        if not near_x or point in (one, other):
            continue
        along = (
            (point[0] - one[0]) * (other[0] - one[0]) + (point[1] - one[1]) * (other[1] - one[1])
        ) / length
        if not 0 < along < length:
            continue
        foot = (
            one[0] + (other[0] - one[0]) * along / length,
            one[1] + (other[1] - one[1]) * along / length,
        )
        if math.dist(foot, point) < SNAP * 0.8:
            found.append((along, point))
    return [point for _, point in sorted(found)]


def _pairs(ring: list[Point]) -> list[tuple[Point, Point]]:
    return list(zip(ring, ring[1:] + ring[:1], strict=True))


def _chains(ring: list[Point], junctions: set[Point]) -> list[tuple[Point, ...]]:
    """The ring cut at its junctions; a ring without any is one closed chain."""
    starts = [index for index, point in enumerate(ring) if point in junctions]
    if not starts:
        return [(*ring, ring[0])]
    turned = ring[starts[0] :] + ring[: starts[0]] + [ring[starts[0]]]
    chains: list[tuple[Point, ...]] = []
    current = [turned[0]]
    for point in turned[1:]:
        current.append(point)
        if point in junctions:
            chains.append(tuple(current))
            current = [point]
    return chains


def _path(chains: list[tuple[Point, ...]], curves: dict[tuple[Point, ...], list[Point]]) -> str:
    parts: list[str] = []
    for chain in chains:
        curve = _curve(chain, curves)
        if not parts:
            parts.append(f"M{_text(curve[0])}")
        for here, after in pairwise(curve[1:]):
            last = after == curve[-1]
            end = after if last else ((here[0] + after[0]) / 2, (here[1] + after[1]) / 2)
            parts.append(f"Q{_text(here)} {_text(end)}")
        if len(curve) == 2:
            parts.append(f"L{_text(curve[1])}")
    return "".join(parts) + "Z"


def _curve(chain: tuple[Point, ...], curves: dict[tuple[Point, ...], list[Point]]) -> list[Point]:
    """The bent points of a chain, the same from both of its ends."""
    back = chain[::-1]
    if back in curves:
        return curves[back][::-1]
    if chain not in curves:
        curves[chain] = _bent(chain)
    return curves[chain]


def _bent(chain: tuple[Point, ...]) -> list[Point]:
    points: list[Point] = [chain[0]]
    for one, other in pairwise(chain):
        pieces = max(1, round(math.dist(one, other) / STEP))
        for piece in range(1, pieces + 1):
            share = piece / pieces
            points.append((one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share))
    bent = [points[0]]
    for index in range(1, len(points) - 1):
        x, y = points[index]
        if _is_arc(x, y):
            bent.append((x, y))
            continue
        before, after = points[index - 1], points[index + 1]
        length = math.dist(before, after) or 1.0
        offset = BEND * _waves(x, y) * min(1.0, index / 2, (len(points) - 1 - index) / 2)
        bent.append(
            (x - (after[1] - before[1]) / length * offset, y + (after[0] - before[0]) / length * offset)
        )
    bent.append(points[-1])
    return bent


def _is_arc(x: float, y: float) -> bool:
    """Whether a point lies on the planet's rim or around the Polar Sink, which stay round."""
    radius = math.hypot(x, y)
    return radius > 0.985 or radius < 0.175


def _waves(x: float, y: float) -> float:
    """A smooth, irregular number from -1 to 1 for each place."""
    return (
        math.sin(17.3 * x + 9.1 * y) + math.sin(31.7 * y - 12.9 * x + 1.3) + math.sin(47.1 * (x + y) + 2.1)
    ) / 3


def _text(point: Point) -> str:
    return f"{point[0]:.4f},{point[1]:.4f}"
