"""Metrics: one Prometheus registry per process, names start with `sietch_`, and every label is one of few words.

A label's value is a word of ours: a route without its values, a subject without its rooms, a code. What is none, or
comes after many others, is counted as `other`: nothing that a person sends can make a series. (decision 0023)

Bind label children once (`.labels(...)` at import or start, or `children`): that is three times cheaper than per
observation. What is only known elsewhere (the store, NATS) is looked at when it is asked for: `scrape`.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec import Struct
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client import Counter as _Counter
from prometheus_client import Gauge as _Gauge
from prometheus_client import Histogram as _Histogram
from prometheus_client.metrics import MetricWrapperBase

REGISTRY = CollectorRegistry(auto_describe=True)
ProcessCollector(registry=REGISTRY)

# Seconds. One action takes 1.5 to 10 ms when all is well; the upper end shows trouble.
LATENCY_BUCKETS = (
    0.0005,
    0.001,
    0.002,
    0.003,
    0.005,
    0.0075,
    0.01,
    0.02,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    10.0,
)
WAIT_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0)
"""Seconds that something waits in a queue: from at once to far too long."""

OTHER = "other"
"""What stands for every value of a label that is no word of ours, or comes after too many."""
MOST_SERIES = 400
"""Series of one metric of one process, without those of `other`."""
_WORD = re.compile(r"[A-Za-z0-9_.:/{}*$ -]{0,80}")
_IDENTITY = re.compile(r"[0-9a-f]{16}|[0-9a-f]{8}-[0-9a-f]{4}-", re.I)


class Declared(Struct, frozen=True):
    """A metric as it was declared: what `docs/metrics.md` says of it."""

    name: str
    kind: str
    text: str
    labels: tuple[str, ...]


DECLARED: list[Declared] = []
"""Every metric that this process has declared so far, in the order of declaring."""

_M = TypeVar("_M", bound="_Bounded")


class _Bounded(MetricWrapperBase):
    """A metric that has no more series than it should, whatever its labels are given."""

    def labels(self: _M, *values: Any, **named: Any) -> _M:
        if named:
            values = tuple(named[name] for name in self._labelnames)
        words = tuple(word(str(value)) for value in values)
        if words not in self._metrics and len(self._metrics) >= MOST_SERIES:
            words = (OTHER,) * len(words)
        child: _M = super().labels(*words)
        return child


class Counter(_Bounded, _Counter):
    """What only grows."""


class Gauge(_Bounded, _Gauge):
    """What grows and shrinks."""


class Histogram(_Bounded, _Histogram):
    """How often, and how long."""


def word(value: str) -> str:
    """The value of a label, if it is short and plain and holds nothing like an id; else `other`."""
    return value if _WORD.fullmatch(value) and not _IDENTITY.search(value) else OTHER


def counter(name: str, text: str, labels: Sequence[str] = ()) -> Counter:
    """A counter `sietch_<name>_total`."""
    declare(f"{name}_total", "counter", text, labels)
    return Counter(f"sietch_{name}", text, labels, registry=REGISTRY)


def gauge(name: str, text: str, labels: Sequence[str] = ()) -> Gauge:
    """A gauge `sietch_<name>`."""
    declare(name, "gauge", text, labels)
    return Gauge(f"sietch_{name}", text, labels, registry=REGISTRY)


def histogram(
    name: str, text: str, labels: Sequence[str] = (), buckets: Sequence[float] = LATENCY_BUCKETS
) -> Histogram:
    """A histogram `sietch_<name>`; seconds unless the name says otherwise."""
    declare(name, "histogram", text, labels)
    return Histogram(f"sietch_{name}", text, labels, buckets=tuple(buckets), registry=REGISTRY)


def declare(name: str, kind: str, text: str, labels: Sequence[str]) -> None:
    """Note a metric for `docs/metrics.md`."""
    DECLARED.append(Declared(f"sietch_{name}", kind, text, tuple(labels)))


class Children(dict[tuple[str, ...], _M]):
    """The children of a metric by the values of their labels, each found once."""

    def __init__(self, metric: _M) -> None:
        super().__init__()
        self._metric = metric

    def __missing__(self, values: tuple[str, ...]) -> _M:
        child = self._metric.labels(*values)
        if len(self) < MOST_SERIES:
            self[values] = child
        return child


LOOP_LAG = histogram("event_loop_lag_seconds", "How late the event loop wakes a sleeper")
BUILD = gauge(
    "build_info", "Constant 1: which service, version, revision", ("service", "version", "revision")
)


async def watch_loop_lag(every: float = 0.5) -> None:
    """Observe the event loop's lag until cancelled: a slow callback anywhere shows here."""
    with contextlib.suppress(asyncio.CancelledError):
        while True:
            due = time.perf_counter() + every
            await asyncio.sleep(every)
            LOOP_LAG.observe(max(0.0, time.perf_counter() - due))
