"""The bus: a thin layer over nats-py that speaks typed messages and never gives up on reconnecting.

What it adds: JSON to and from msgspec structs, errors that callers can tell apart, handlers that run
beside each other up to a limit (nats-py runs a subscription's callbacks one at a time), small pending limits,
streams and durable consumers that are made again when NATS lost them (`durable.py`), and trace propagation.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, overload

import nats
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as Subscription  # part of what this module offers

from shared.ops import tracing
from shared.ops.logging import get_logger
from shared.wire.coding import decode as decode  # both are part of what this module offers
from shared.wire.coding import encode as encode
from shared.wire.connection import problem
from shared.wire.durable import Streams
from shared.wire.errors import BadMessage, BusDown, BusTimeout, NoResponders, RemoteFailed
from shared.wire.measured import ASKED, HANDLED, PUBLISHED, pattern, told

log = get_logger("bus")

M = TypeVar("M")

FAILED_HEADER = "Sietch-Failed"
NOBODY = {"Status": "503"}
PENDING_MESSAGES = 8192
PENDING_BYTES = 32 * 1024 * 1024


class Bus(Streams):
    """Requests, subjects and streams on one connection to NATS. Make it with `Bus.connect`; close it with `drain`."""

    @overload
    async def request(self, subject: str, message: object, reply: type[M], timeout: float = 2.0) -> M: ...
    @overload
    async def request(self, subject: str, message: object, reply: Any, timeout: float = 2.0) -> Any: ...
    async def request(self, subject: str, message: object, reply: Any, timeout: float = 2.0) -> Any:
        """Send a request and decode its reply as `reply` (a message type or a union of them).

        Raises NoResponders, BusTimeout (seconds in `timeout`), BusDown, RemoteFailed or BadMessage.
        """
        name, began, outcome = pattern(subject), time.perf_counter(), "failed"
        try:
            answer = await self.client.request(
                subject, encode(message), timeout=timeout, headers=tracing.inject()
            )
            if answer.headers and FAILED_HEADER in answer.headers:
                raise RemoteFailed(f"the service on {name} failed: {answer.headers[FAILED_HEADER]}")
            outcome = "unreadable"
            found = decode(answer.data, reply, f"the reply on {name}")
            outcome = "answered"
            return found
        except nats.errors.NoRespondersError:
            outcome = "nobody"
            raise NoResponders(f"nobody answers on {name}") from None
        except nats.errors.TimeoutError:
            outcome = "late"
            raise BusTimeout(f"no answer on {name} within {timeout:g} s") from None
        except nats.errors.Error as error:
            outcome = "down"
            raise BusDown(f"cannot ask on {name}: {problem(error)}") from None
        finally:
            ASKED[name, outcome].observe(time.perf_counter() - began)

    async def publish(self, subject: str, message: object) -> None:
        """Send without waiting for anybody (core NATS: who is not listening misses it). Raises BusDown."""
        await self.publish_bytes(subject, encode(message))

    async def publish_bytes(self, subject: str, data: bytes) -> None:
        """The same with an encoded message, so that one encoding serves several subjects."""
        name = pattern(subject)
        try:
            await self.client.publish(subject, data, headers=tracing.inject())
        except nats.errors.Error as error:
            PUBLISHED[name, "failed"].inc()
            raise BusDown(f"cannot publish on {name}: {problem(error)}") from None
        PUBLISHED[name, "sent"].inc()

    async def subscribe(
        self,
        subject: str,
        kind: Any,
        handler: Callable[[str, Any], Awaitable[None]],
        *,
        queue: str = "",
        pending: int = PENDING_MESSAGES,
        pending_bytes: int = PENDING_BYTES,
    ) -> Subscription:
        """Call `handler(subject, message)` for each message in order, singly; a bad one is dropped and logged."""

        name = pattern(subject)

        async def callback(msg: Msg) -> None:
            began, outcome = time.perf_counter(), "failed"
            with tracing.continued(msg.headers):
                try:
                    await handler(msg.subject, decode(msg.data, kind, f"a message on {name}"))
                    outcome = "done"
                except BadMessage as error:
                    outcome = "refused"
                    log.error("dropped a message", reason=str(error), **told(msg.subject))
                except Exception:
                    log.exception("a handler failed", **told(msg.subject))
            HANDLED[name, outcome].observe(time.perf_counter() - began)

        subscription = await self.client.subscribe(
            subject, queue=queue, cb=callback, pending_msgs_limit=pending, pending_bytes_limit=pending_bytes
        )
        self._subscriptions.append(subscription)
        return subscription

    async def unsubscribe(self, subscription: Subscription) -> None:
        """End one subscription made by `subscribe` or `serve`."""
        for known in (self._subscriptions, self._served):
            if subscription in known:
                known.remove(subscription)
        with contextlib.suppress(nats.errors.Error):
            await subscription.unsubscribe()

    async def serve(
        self,
        subject: str,
        kind: Any,
        handler: Callable[[Any], Awaitable[object]],
        *,
        queue: str = "",
        concurrency: int = 64,
    ) -> Subscription:
        """Answer requests: `handler(message)` returns the reply. Up to `concurrency` run beside each other.

        With one at a time, which suits handlers that only compute, a request costs no task of its own.
        """

        async def singly(msg: Msg) -> None:
            with tracing.continued(msg.headers):
                await self._reply(msg, kind, handler)

        subscription = await self.client.subscribe(
            subject,
            queue=queue,
            cb=singly if concurrency == 1 else self._beside(singly, concurrency),
            pending_msgs_limit=PENDING_MESSAGES,
            pending_bytes_limit=PENDING_BYTES,
        )
        self._subscriptions.append(subscription)
        self._served.append(subscription)
        # Whoever is told that this process is ready must find the subscription in place.
        with contextlib.suppress(nats.errors.Error):
            await self.flush()
        return subscription

    def _beside(
        self, work: Callable[[Msg], Awaitable[None]], concurrency: int
    ) -> Callable[[Msg], Awaitable[None]]:
        """A callback that does not wait for the work on a message while less than so many are worked on."""
        gate = asyncio.Semaphore(concurrency)

        async def gated(msg: Msg) -> None:
            try:
                await work(msg)
            finally:
                gate.release()

        async def callback(msg: Msg) -> None:
            await gate.acquire()
            self._spawn(gated(msg))

        return callback

    async def _reply(self, msg: Msg, kind: Any, handler: Callable[[Any], Awaitable[object]]) -> None:
        if self._refusing:
            await self._refuse(msg)
            return
        headers, data = None, b""
        name, began, outcome = pattern(msg.subject), time.perf_counter(), "failed"
        try:
            data = encode(await handler(decode(msg.data, kind, f"the request on {name}")))
            outcome = "done"
        except asyncio.CancelledError:
            await self._refuse(msg)
            raise
        except BadMessage as error:
            headers = {FAILED_HEADER: "the request could not be read"}
            outcome = "refused"
            log.error("refused a request", reason=str(error), **told(msg.subject))
        except Exception as error:
            # Only the kind of the error crosses the wire: its text could hold what a seat may not know.
            headers = {FAILED_HEADER: type(error).__name__}
            log.exception("a request failed", **told(msg.subject))
        HANDLED[name, outcome].observe(time.perf_counter() - began)
        if msg.reply:
            with contextlib.suppress(nats.errors.Error):
                await self.client.publish(msg.reply, data, headers=headers)

    async def _refuse(self, msg: Msg) -> None:
        """Say what NATS says where nobody listens: this process ends."""
        if msg.reply and self.connected:
            with contextlib.suppress(nats.errors.Error):
                await self.client.publish(msg.reply, b"", headers=NOBODY)
