"""Metrics: one Prometheus registry per process, names start with `sietch_`, and no label names a room or a seat.

Bind label children once (`.labels(...)` at import or start): that is three times cheaper than per observation.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

REGISTRY = CollectorRegistry(auto_describe=True)
ProcessCollector(registry=REGISTRY)

CONTENT_TYPE = CONTENT_TYPE_LATEST

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


def counter(name: str, text: str, labels: Sequence[str] = ()) -> Counter:
    """A counter `sietch_<name>_total`."""
    return Counter(f"sietch_{name}", text, labels, registry=REGISTRY)


def gauge(name: str, text: str, labels: Sequence[str] = ()) -> Gauge:
    """A gauge `sietch_<name>`."""
    return Gauge(f"sietch_{name}", text, labels, registry=REGISTRY)


def histogram(
    name: str, text: str, labels: Sequence[str] = (), buckets: Sequence[float] = LATENCY_BUCKETS
) -> Histogram:
    """A histogram `sietch_<name>`; seconds unless the name says otherwise."""
    return Histogram(f"sietch_{name}", text, labels, buckets=tuple(buckets), registry=REGISTRY)


def render() -> bytes:
    """All metrics of this process in Prometheus' text format."""
    return generate_latest(REGISTRY)


LOOP_LAG = histogram("event_loop_lag_seconds", "How late the event loop wakes a sleeper")
UP = gauge("up_info", "Constant 1 with the service's name and version", ("service", "version"))


async def watch_loop_lag(every: float = 0.5) -> None:
    """Observe the event loop's lag until cancelled: a slow callback anywhere shows here."""
    with contextlib.suppress(asyncio.CancelledError):
        while True:
            due = time.perf_counter() + every
            await asyncio.sleep(every)
            LOOP_LAG.observe(max(0.0, time.perf_counter() - due))
