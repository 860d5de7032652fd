"""JetStream: streams that are made again when NATS lost them, and messages that are stored once."""

from __future__ import annotations

import asyncio
import time
from typing import TypeVar

import nats
from nats.aio.client import Client

from shared.ops import tracing
from shared.wire.coding import decode, encode
from shared.wire.connection import Connection, problem
from shared.wire.errors import BusError
from shared.wire.measured import PUBLISHED, pattern
from shared.wire.streams import StreamSpec, config_of, consumer_of

__all__ = ["Streams"]

M = TypeVar("M")

DURABLE_PAUSES = (0.1, 0.5, None)
"""Seconds to wait before a message that a stream did not take is sent again; None: then no more."""


class Streams(Connection):
    """What is published into streams by a connection, and looked up in them."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self._half_made: set[str] = set()

    async def ensure_stream(self, spec: StreamSpec, replicas: int = 1) -> None:
        """Make the stream and its consumer, or bring their limits up to date. Harmless to repeat. Raises BusError."""
        config = config_of(spec, replicas)
        self._half_made.add(spec.name)
        try:
            try:
                await self.js.update_stream(config)
            except nats.js.errors.NotFoundError:
                await self.js.add_stream(config)
            await self.js.add_consumer(spec.name, consumer_of(spec))
            self._half_made.discard(spec.name)
        except (nats.errors.Error, TimeoutError) as error:
            raise BusError(f"cannot make the stream {spec.name}: {error!r}") from None

    async def newest(self, spec: StreamSpec, subject: str, kind: type[M]) -> tuple[M, float] | None:
        """The newest message that a stream holds on a subject, and its age in seconds; None if there is none.

        Raises BusError when the stream does not answer.
        """
        try:
            found = await self.js.get_last_msg(spec.name, subject, direct=True)
        except (nats.js.errors.NotFoundError, nats.errors.NoRespondersError):
            return None  # an absent stream holds nothing; whoever publishes makes it again
        except (nats.errors.Error, TimeoutError) as error:
            raise BusError(f"{spec.name} does not say what it holds: {error!r}") from None
        age = 0.0 if found.time is None else time.time() - found.time.timestamp()
        return decode(found.data or b"", kind, f"a message on {pattern(subject)}"), age

    async def publish_durable(
        self, spec: StreamSpec, subject: str, message: object, msg_id: str, timeout: float = 2.0
    ) -> None:
        """Publish into a stream and wait until it took the message; the same `msg_id` is stored once.

        A stream that NATS lost is made again, and what was lost with a connection is sent again on the next.
        Raises BusError.
        """
        data = encode(message)
        headers = {"Nats-Msg-Id": msg_id}
        tracing.inject(headers)
        name = pattern(subject)
        if spec.name in self._half_made:  # the stream may be there without the consumer
            await self.ensure_stream(spec)
        for pause in DURABLE_PAUSES:
            try:
                await self.js.publish(subject, data, timeout=timeout, stream=spec.name, headers=headers)
                PUBLISHED[name, "sent"].inc()
                return
            except (nats.js.errors.NoStreamResponseError, nats.js.errors.NotFoundError):
                if pause is None:
                    PUBLISHED[name, "failed"].inc()
                    raise BusError(f"the stream {spec.name} does not answer") from None
                await self.ensure_stream(spec)
            except (nats.errors.Error, TimeoutError) as error:
                if pause is None:
                    PUBLISHED[name, "failed"].inc()
                    raise BusError(
                        f"{spec.name} did not take a message on {name}: {problem(error)}"
                    ) from None
                await asyncio.sleep(pause)
