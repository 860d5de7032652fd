"""What is only looked at when Prometheus asks: how many rooms the store holds, how much waits in a stream.

    WAITING = scrape.Seen("consumer_waiting", "Messages that wait", ("consumer",))

    async def look() -> None:
        WAITING.set(3.0, "bot")

    scrape.looks["bot"] = scrape.Look("bot", look, (WAITING,))

Nobody asks, nothing is done. What could not be found is absent, never old. A look that was dear is kept for longer, so
that no look costs more than a hundredth of a core, however large the store and however often it is asked.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from shared.ops import metrics
from shared.ops.logging import get_logger, named

log = get_logger("metrics")

CONTENT_TYPE = CONTENT_TYPE_LATEST
LOOK_SECONDS = 2.0
"""How long one look may take; then what it looks for is absent."""
KEPT_SECONDS = 4.0
"""How long what was found is good for at least."""
KEPT_TIMES = 200
"""And how many times as long as it took to find it."""
KEPT_MOST = 60.0
"""But never longer."""
MOST_VALUES = metrics.MOST_SERIES

FAILED = metrics.counter(
    "scrape_failures", "Looks at store or NATS that failed when asked for metrics", ("look",)
)


class Seen(Collector):
    """A gauge `sietch_<name>` whose values a look finds."""

    def __init__(self, name: str, text: str, labels: Sequence[str] = ()) -> None:
        self._name, self._text, self._labels = f"sietch_{name}", text, tuple(labels)
        self._values: dict[tuple[str, ...], float] = {}
        metrics.declare(name, "gauge", text, labels)
        metrics.REGISTRY.register(self)

    def set(self, value: float, *labels: str) -> None:
        """What was found for these labels."""
        words = tuple(map(metrics.word, labels))
        if words not in self._values and len(self._values) >= MOST_VALUES:
            words = (metrics.OTHER,) * len(words)
        self._values[words] = value

    def clear(self) -> None:
        """Nothing is known."""
        self._values = {}

    def collect(self) -> Iterator[Metric]:
        """For the registry."""
        family = GaugeMetricFamily(self._name, self._text, labels=self._labels)
        for words, value in self._values.items():
            family.add_metric(words, value)
        yield family

    def describe(self) -> Iterable[Metric]:
        """For the registry: the name alone."""
        return [GaugeMetricFamily(self._name, self._text, labels=self._labels)]


class Look:
    """One look at something outside of this process, and the gauges that it sets."""

    def __init__(self, name: str, look: Callable[[], Awaitable[None]], seen: Sequence[Seen]) -> None:
        self._name = name
        self._look = look
        self._seen = tuple(seen)
        self._good_until = 0.0
        self._looking = asyncio.Lock()

    async def fresh(self) -> None:
        """Look, unless what was found last is still good."""
        async with self._looking:
            began = time.monotonic()
            if began < self._good_until:
                return
            self.forget()
            kept = KEPT_SECONDS
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._look()
                kept = min(KEPT_MOST, max(kept, KEPT_TIMES * (time.monotonic() - began)))
            except Exception as error:  # noqa: BLE001 - whatever failed: the metrics of the process itself are told
                self.forget()
                FAILED.labels(self._name).inc()
                log.debug("cannot look for metrics", look=self._name, reason=named(error))
            self._good_until = time.monotonic() + kept

    def forget(self) -> None:
        """Nothing is known."""
        for seen in self._seen:
            seen.clear()


looks: dict[str, Look] = {}
"""The looks of this process by name."""


async def render() -> bytes:
    """All metrics of this process in Prometheus' text format."""
    if looks:
        await asyncio.gather(*(look.fresh() for look in list(looks.values())))
    return generate_latest(metrics.REGISTRY)
