"""What a row of the benchmark is, and what it returns."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from tests.bench.bench import Bench

__all__ = ["Goal", "Measure", "Row", "at_least", "at_most", "few", "latency", "quantile"]

LEAST_SAMPLES = 2_000
"""Samples of a latency after warm-up, below which a row says that it is short."""

TIMES = ("s", "ms", "µs", "/s")
"""Units that depend on how fast the machine is."""


class Goal(Struct, frozen=True):
    """What a figure has to reach: a bound on the ratio to the floor of the same run, or on the figure itself."""

    kind: Literal["at_most", "at_least"]
    limit: float
    of: Literal["ratio", "value"]

    def met(self, figure: float) -> bool:
        """Whether a figure reaches the goal; one that is not a number never does."""
        return figure <= self.limit if self.kind == "at_most" else figure >= self.limit

    def missed_by(self, figure: float) -> float:
        """How far a figure is from the goal, as a share of the goal: 0.25 is a quarter too much (or too little)."""
        if self.met(figure):
            return 0.0
        return abs(figure - self.limit) / self.limit


def at_most(limit: float, of: Literal["ratio", "value"] = "ratio") -> Goal:
    """At most so many times the floor, or so many units."""
    return Goal("at_most", limit, of)


def at_least(limit: float, of: Literal["ratio", "value"] = "value") -> Goal:
    """At least so many units, or so many times the floor."""
    return Goal("at_least", limit, of)


class Measure(Struct, frozen=True):
    """One figure of a row. `floor` is what the same machine did bare in the same run, in the same unit.

    `samples` counts what the figure was taken from; `note` is for whoever reads the table. With a share of `drift`
    a figure may be worse than the recorded baseline before that is called a step back.
    """

    name: str
    unit: str
    product: float
    floor: float | None = None
    goal: Goal | None = None
    samples: int = 0
    note: str = ""
    drift: float = 0.3

    @property
    def ratio(self) -> float | None:
        """The product by the floor."""
        return self.product / self.floor if self.floor else None

    @property
    def figure(self) -> float:
        """What the goal is about."""
        if self.goal is not None and self.goal.of == "ratio":
            return math.nan if self.ratio is None else self.ratio
        return self.product

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None where there is none."""
        return None if self.goal is None else self.goal.met(self.figure)

    @property
    def rising(self) -> bool:
        """Whether more is better."""
        return self.unit == "/s" if self.goal is None else self.goal.kind == "at_least"


class Row(Struct, frozen=True):
    """One row (or a group that is measured together). `run` measures floor and product interleaved."""

    name: str
    title: str
    run: Callable[[Bench], Awaitable[list[Measure]]]


def quantile(samples: Sequence[float], share: float) -> float:
    """The value below which that share of the samples lies (nearest rank); ValueError without samples."""
    if not samples:
        raise ValueError("no samples were taken")
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def few(count: int, note: str = "") -> str:
    """A note that says as well when a latency was taken fewer times than it should be."""
    short = "" if count >= LEAST_SAMPLES else f"only {count} samples"
    return "; ".join(part for part in (note, short) if part)


def latency(
    floor: Sequence[float],
    product: Sequence[float],
    *,
    name: str = "",
    p50: Goal | None = None,
    p99: Goal | None = None,
    note: str = "",
) -> list[Measure]:
    """Median and p99 of seconds, as milliseconds. Too few samples are said in the note."""
    count = min(len(floor), len(product)) if floor else len(product)
    told = few(count, note)
    measures = []
    for label, share, goal in (("p50", 0.5, p50), ("p99", 0.99, p99)):
        bare = quantile(floor, share) * 1000 if floor else None
        measures.append(
            Measure(f"{name} {label}".strip(), "ms", quantile(product, share) * 1000, bare, goal, count, told)
        )
    return measures
