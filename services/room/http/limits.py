"""Rate limits: buckets in this process, by valid token or else address. `GET /api/limits` publishes all of them."""

from __future__ import annotations

import time
from collections import OrderedDict

from services.room.bodies import MAX_DEPTH
from services.room.channel import RING
from services.room.errors import ApiError
from services.room.http.replies import Limits, Rate
from services.room.seats import TOKENS_PER_SEAT
from shared.ops import metrics
from shared.ops.http import HEAD_BYTES, HEAD_SECONDS, STALLED_SECONDS

BODY_BYTES = 16 * 1024
SCENARIO_BYTES = 256 * 1024
BODY_SECONDS = 10.0
"""How long a body may take to arrive."""
STREAMS_PER_CLIENT = 32
CONNECTIONS = 4096
"""Connections and streams at once; beyond it uvicorn answers 503."""
KEEPALIVE_SECONDS = 15.0
CLIENTS_REMEMBERED = 50_000

RATES = {
    "create": Rate(per_minute=30, burst=20, by="address"),
    "join": Rate(per_minute=60, burst=30, by="address"),
    "lobby": Rate(per_minute=240, burst=60, by="token or address"),
    "act": Rate(per_minute=3000, burst=200, by="token or address"),
    "read": Rate(per_minute=3000, burst=200, by="token or address"),
    "stream": Rate(per_minute=120, burst=30, by="token or address"),
}

LIMITED = metrics.counter("room_rate_limited", "Requests refused by a rate limit", ("limit",))


class Limiter:
    """Buckets that fill with time. `factor` multiplies every rate and burst; 0 lifts the rates."""

    def __init__(self, factor: float = 1.0) -> None:
        self._factor = factor
        self._buckets: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()
        self._streams: dict[str, int] = {}
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def remember(self, token: bytes) -> None:
        """The hash of a token that the store knew: whoever shows it has limits of its own."""
        self._known[token] = None
        self._known.move_to_end(token)
        if len(self._known) > CLIENTS_REMEMBERED:
            self._known.popitem(last=False)

    def knows(self, token: bytes) -> bool:
        """Whether the token of this hash was valid before."""
        return token in self._known

    def take(self, limit: str, client: str) -> None:
        """Count one request. Raises ApiError 429 with the seconds until the next one fits."""
        if self._factor <= 0:
            return
        rate = RATES[limit]
        per_second, burst = rate.per_minute / 60 * self._factor, max(1.0, rate.burst * self._factor)
        now = time.monotonic()
        level, at = self._buckets.get((limit, client), (burst, now))
        level = min(burst, level + (now - at) * per_second)
        if level < 1:
            LIMITED.labels(limit=limit).inc()
            raise too_many(f"Too many requests ({limit}); see /api/limits.", (1 - level) / per_second)
        self._buckets[limit, client] = (level - 1, now)
        self._buckets.move_to_end((limit, client))
        if len(self._buckets) > CLIENTS_REMEMBERED:
            self._buckets.popitem(last=False)

    def open_stream(self, client: str) -> None:
        """Count one open stream. Raises ApiError 429 when the client has too many."""
        if self._factor > 0 and self._streams.get(client, 0) >= STREAMS_PER_CLIENT:
            LIMITED.labels(limit="streams").inc()
            raise too_many(f"At most {STREAMS_PER_CLIENT} streams can be open at once; close one.", 5)
        self._streams[client] = self._streams.get(client, 0) + 1

    def close_stream(self, client: str) -> None:
        """A stream ended."""
        left = self._streams.get(client, 0) - 1
        if left > 0:
            self._streams[client] = left
        else:
            self._streams.pop(client, None)

    def published(self) -> Limits:
        """The limits as they are at this process."""
        factor = self._factor
        return Limits(
            rates={
                name: Rate(
                    per_minute=rate.per_minute * factor, burst=max(1.0, rate.burst * factor), by=rate.by
                )
                for name, rate in RATES.items()
            }
            if factor > 0
            else {},
            body_bytes=BODY_BYTES,
            scenario_bytes=SCENARIO_BYTES,
            json_depth=MAX_DEPTH,
            head_bytes=HEAD_BYTES,
            head_seconds=HEAD_SECONDS,
            body_seconds=BODY_SECONDS,
            stalled_seconds=STALLED_SECONDS,
            connections=CONNECTIONS,
            streams_per_client=STREAMS_PER_CLIENT,
            tokens_per_seat=TOKENS_PER_SEAT,
            resume_changes=RING,
            keepalive_seconds=KEEPALIVE_SECONDS,
        )


def too_many(text: str, seconds: float) -> ApiError:
    """429 with `Retry-After`."""
    return ApiError(429, "too_many", text, retry_after=seconds)
