"""How far a durable consumer is behind its stream: what waits, and since when. Asked of NATS when Prometheus asks."""

from __future__ import annotations

import time

import nats

from shared.ops import scrape
from shared.wire.client import Bus

WAITING = scrape.Seen(
    "consumer_waiting_messages",
    "What a durable consumer has not acknowledged yet: all replicas tell the same",
    ("consumer",),
)
OLDEST = scrape.Seen(
    "consumer_oldest_seconds",
    "Age of the oldest message that a durable consumer has not acknowledged",
    ("consumer",),
)


def watch(bus: Bus, stream: str, durable: str, subject: str) -> None:
    """Have metrics tell how far this consumer is behind."""

    async def look() -> None:
        waiting, oldest = await _behind(bus, stream, durable, subject)
        WAITING.set(waiting, durable)
        OLDEST.set(oldest, durable)

    scrape.looks["backlog"] = scrape.Look("backlog", look, (WAITING, OLDEST))


async def _behind(bus: Bus, stream: str, durable: str, subject: str) -> tuple[int, float]:
    """Messages not acknowledged, and the age of the oldest in seconds."""
    info = await bus.js.consumer_info(stream, durable, timeout=1.0)
    waiting = (info.num_pending or 0) + (info.num_ack_pending or 0)
    if not waiting:
        return 0, 0.0
    done = info.ack_floor.stream_seq if info.ack_floor else 0
    try:
        found = await bus.js.get_msg(stream, done + 1, subject, direct=True, next=True)
    except nats.js.errors.NotFoundError:
        return waiting, 0.0  # acknowledged meanwhile
    return waiting, 0.0 if found.time is None else max(0.0, time.time() - found.time.timestamp())
