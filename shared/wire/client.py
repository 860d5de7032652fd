"""The bus: a thin layer over nats-py that speaks typed messages and never gives up on reconnecting.

What it adds: JSON to and from msgspec structs, errors that callers can tell apart, handlers that run
beside each other up to a limit (nats-py runs a subscription's callbacks one at a time), small pending limits,
streams and durable consumers that are made again when NATS lost them, and trace propagation.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar, overload

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as Subscription  # part of what this module offers
from nats.js import JetStreamContext

from shared.ops import tracing
from shared.ops.logging import get_logger
from shared.ops.refs import without_rooms
from shared.wire.coding import decode as decode  # both are part of what this module offers
from shared.wire.coding import encode as encode
from shared.wire.errors import BadMessage, BusDown, BusError, BusTimeout, NoResponders, RemoteFailed
from shared.wire.measured import ASKED, CONNECTED, HANDLED, PUBLISHED, RECONNECTED, pattern, told
from shared.wire.streams import StreamSpec, config_of, consumer_of

log = get_logger("bus")

M = TypeVar("M")

FAILED_HEADER = "Sietch-Failed"
NOBODY = {"Status": "503"}
REFUSE_SECONDS = 1.0
DURABLE_PAUSES = (0.1, 0.5, None)
"""Seconds to wait before a message that a stream did not take is sent again; None: then no more."""
PENDING_MESSAGES = 8192
PENDING_BYTES = 32 * 1024 * 1024


def _problem(error: Exception) -> str:
    """What NATS or the network said; of any other error only its kind: its text may hold a message's content."""
    plain = isinstance(error, nats.errors.Error | OSError)
    return (without_rooms(str(error)) if plain else "") or type(error).__name__


async def _wait(tasks: Iterable[asyncio.Task[None]], seconds: float) -> None:
    """Until all of them (if there are any) are done, at most so many seconds."""
    if found := [*tasks]:
        await asyncio.wait(found, timeout=max(0.0, seconds))


class Bus:
    """One connection to NATS. Make it with `Bus.connect`; close it with `drain`."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.js: JetStreamContext = client.jetstream(timeout=5)
        self._tasks: set[asyncio.Task[None]] = set()
        self._half_made: set[str] = set()
        self._subscriptions: list[Subscription] = []
        self._served: list[Subscription] = []
        self._refusing = False
        self.on_reconnect: list[Callable[[], Awaitable[None]]] = []

    # ------------------------------------------------------------------ life

    @classmethod
    async def connect(
        cls, url: str, name: str, *, inbox: str | None = None, creds: str | None = None, wait: float = 30.0
    ) -> Bus:
        """Connect within `wait` seconds, else BusDown.

        `name` is the service's name, with `-` and an instance after it if wanted. Replies come to the identity's
        own `inbox` prefix (`_INBOX_<service>`), so that no other identity may be allowed to listen there.
        """
        client = Client()
        bus = cls(client)
        options: dict[str, Any] = {
            "servers": url.split(","),
            "name": name,
            "allow_reconnect": True,
            "max_reconnect_attempts": -1,
            "reconnect_time_wait": 0.1,
            "connect_timeout": 3,
            "ping_interval": 10,
            "max_outstanding_pings": 2,
            "pending_size": 8 * 1024 * 1024,
            "inbox_prefix": inbox or "_INBOX_" + re.split(r"[^A-Za-z0-9_]", name)[0],
            "error_cb": bus._on_error,
            "disconnected_cb": bus._on_disconnected,
            "reconnected_cb": bus._on_reconnected,
        }
        if creds:
            options["user_credentials"] = creds
        try:
            await asyncio.wait_for(client.connect(**options), wait)
        except (TimeoutError, OSError, nats.errors.Error) as error:
            # A half-made client keeps trying in the background unless it is closed.
            with contextlib.suppress(nats.errors.Error, OSError):
                await client.close()
            raise BusDown(f"no connection to NATS within {wait:g} s (SIETCH_NATS_URL): {error!r}") from None
        CONNECTED.set(1)
        return bus

    @property
    def connected(self) -> bool:
        """Whether the connection stands at this moment."""
        return self.client.is_connected

    async def check(self) -> str | None:
        """A readiness check: None when a ping came back."""
        if not self.connected:
            return "not connected to NATS; trying again"
        await self.client.flush(timeout=1)
        return None

    async def drain(self, seconds: float = 5.0) -> None:
        """Take no new messages, answer the requests that came (at most `seconds`), send what is buffered, close.

        Requests that are not answered by then are refused as if nobody were there: who asked turns to another replica.
        Hints that came and were not heard yet are dropped, as such may be.
        """
        until = time.monotonic() + seconds
        for subscription in self._subscriptions:
            if subscription not in self._served:
                with contextlib.suppress(nats.errors.Error):
                    await subscription.unsubscribe()
        emptying = [asyncio.create_task(self._empty(subscription)) for subscription in self._served]
        await _wait(emptying, seconds if self.connected else 0.0)
        await _wait(self._tasks, until - time.monotonic())
        self._refusing = True
        for task in self._tasks:
            task.cancel()
        await _wait([*self._tasks, *emptying], REFUSE_SECONDS)
        with contextlib.suppress(nats.errors.Error, TimeoutError):
            await asyncio.wait_for(self.client.flush(timeout=1), 1.5)
        with contextlib.suppress(
            nats.errors.Error, OSError
        ):  # OSError: a refusal that nobody can be told any more
            await asyncio.wait_for(self.client.close(), 2)

    async def _empty(self, subscription: Subscription) -> None:
        """Let no more requests come, and wait until those that did are handled or have their handler."""
        with contextlib.suppress(nats.errors.Error, TimeoutError):
            await subscription.drain()  # type: ignore[no-untyped-call]

    async def _on_error(self, error: Exception) -> None:
        log.warning("bus problem", problem=_problem(error))

    async def _on_disconnected(self) -> None:
        CONNECTED.set(0)
        if not self.client.is_closed:
            log.warning("lost the connection to NATS; trying again")
        # Replies to what is under way will never come: whoever waits for one is told now, not when time is up.
        for reply in list(self.client._resp_map.values()):
            if not reply.done():
                reply.set_exception(nats.errors.ConnectionClosedError())

    async def _on_reconnected(self) -> None:
        CONNECTED.set(1)
        RECONNECTED.inc()
        log.warning("connected to NATS again")
        for callback in list(self.on_reconnect):
            self._spawn(callback())

    # ------------------------------------------------------------------ core: requests, subjects

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
            raise BusDown(f"cannot ask on {name}: {_problem(error)}") from None
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
            raise BusDown(f"cannot publish on {name}: {_problem(error)}") from None
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
            await self.client.flush(timeout=2)
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

    def _spawn(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ------------------------------------------------------------------ JetStream

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
                        f"{spec.name} did not take a message on {name}: {_problem(error)}"
                    ) from None
                await asyncio.sleep(pause)
