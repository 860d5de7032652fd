"""Whether memory grows: the slope of a fitted line, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import NormalDist, fmean

from msgspec import Struct

__all__ = ["CONFIDENCE", "Growth", "growth"]

CONFIDENCE = 0.95
"""How sure the bounds are, each by itself."""
BLOCK_MINUTES = 0.5
"""Looks are averaged over so long: memory comes and goes with collections of garbage, so one look tells of the next."""
LEAST_BLOCKS = 6


class Growth(Struct, frozen=True):
    """By how much something grows in a minute: the fitted slope, and what it is at least and at most."""

    slope: float
    least: float
    most: float

    def open(self, limit: float) -> bool:
        """Whether these looks leave it open on which side of the limit the growth is: more of them are needed."""
        return self.least <= limit < self.most


def growth(
    points: list[tuple[float, float]], of: Callable[[Iterable[float]], float] = fmean
) -> Growth | None:
    """Of looks at (minutes, size), of which each stretch counts with its mean, or another figure; None if too few.

    `min` leaves out what is taken for a moment and given back, such as a worker of the database that comes and goes.
    """
    blocks = _blocks(points, of)
    count = len(blocks)
    if count < LEAST_BLOCKS:
        return None
    mean_x, mean_y = fmean(x for x, _ in blocks), fmean(y for _, y in blocks)
    spread = sum((x - mean_x) ** 2 for x, _ in blocks)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in blocks) / spread
    rest = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in blocks)
    error = _student(count - 2) * (rest / (count - 2) / spread) ** 0.5
    return Growth(slope, slope - error, slope + error)


def _blocks(
    points: list[tuple[float, float]], of: Callable[[Iterable[float]], float]
) -> list[tuple[float, float]]:
    """One figure of the looks in each stretch of time."""
    found: dict[int, list[tuple[float, float]]] = {}
    for point in points:
        found.setdefault(int((point[0] - points[0][0]) / BLOCK_MINUTES), []).append(point)
    return [(fmean(x for x, _ in block), of([y for _, y in block])) for block in found.values()]


def _student(freedom: int) -> float:
    """The quantile of Student's distribution at `CONFIDENCE`, by its expansion in that of the normal one."""
    z = NormalDist().inv_cdf(CONFIDENCE)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
