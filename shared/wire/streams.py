"""The JetStream streams, in one place: whoever needs one ensures it, and an operator finds their limits here.

Streams carry hints that PostgreSQL can make again, never the only copy of anything.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from nats.js import api

from shared.wire import subjects


class Durable(Struct, frozen=True):
    """The one durable pull consumer of a stream, shared by all replicas that work it off.

    A message whose process fell silent for `ack_wait` seconds is given to another; after `max_deliver` deliveries it is
    left.
    """

    name: str
    ack_wait: float = 30.0
    max_deliver: int = 20
    max_ack_pending: int = 1024


class StreamSpec(Struct, frozen=True):
    """One stream: its subjects, retention, age limit in seconds and size limit in bytes; who works it off."""

    name: str
    subjects: tuple[str, ...]
    retention: Literal["limits", "workqueue"]
    max_age: float
    max_bytes: int
    durable: Durable
    duplicate_window: float = 120.0


_PROJECTION, _BOT = Durable("projection", 2.0, 5), Durable("bot", 1.0, 50)
# A projection that was away for longer than an hour fills its gaps from the store.
COMMITS = StreamSpec(subjects.COMMIT_STREAM, (subjects.COMMIT_ALL,), "limits", 3600.0, 1 << 30, _PROJECTION)
# A bot task that nobody took within an hour is found again by room's sweep over open offers.
BOTS = StreamSpec(subjects.BOT_STREAM, (subjects.BOT_TASKS,), "workqueue", 3600.0, 256 << 20, _BOT)


def config_of(spec: StreamSpec, replicas: int) -> api.StreamConfig:
    """The stream as NATS is asked for it."""
    return api.StreamConfig(
        name=spec.name,
        subjects=list(spec.subjects),
        retention=api.RetentionPolicy(spec.retention),
        storage=api.StorageType.FILE,
        max_age=spec.max_age,
        max_bytes=spec.max_bytes,
        duplicate_window=spec.duplicate_window,
        num_replicas=replicas,
        discard=api.DiscardPolicy.OLD,
        allow_direct=True,
    )


def consumer_of(spec: StreamSpec) -> api.ConsumerConfig:
    """The stream's consumer as NATS is asked for it."""
    durable = spec.durable
    return api.ConsumerConfig(
        durable_name=durable.name,
        filter_subject=spec.subjects[0],
        deliver_policy=api.DeliverPolicy.ALL,
        ack_policy=api.AckPolicy.EXPLICIT,
        ack_wait=durable.ack_wait,
        max_deliver=durable.max_deliver,
        max_ack_pending=durable.max_ack_pending,
    )
