"""Durable work from a JetStream stream: fetch, handle beside each other, acknowledge; survive restarts of NATS.

Delivery is at least once: handlers must be harmless when they see a message again.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import msgspec
import nats
from msgspec import Struct
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from shared.ops import metrics, tracing
from shared.ops.logging import get_logger
from shared.ops.refs import without_rooms
from shared.ops.service import Runtime
from shared.ops.tasks import end_tasks
from shared.wire import backlog
from shared.wire.client import Bus, decode
from shared.wire.errors import BadMessage, BusError
from shared.wire.measured import pattern, told
from shared.wire.streams import StreamSpec

log = get_logger("consumer")

PULL_SECONDS = 30.0
HEARTBEAT_SECONDS = 1.0
AGAIN_SECONDS = 0.2
"""How long to wait before a stream or consumer that does not answer is tried again."""


CONSUMED = metrics.Children(
    metrics.histogram(
        "consumer_handled_seconds",
        "One message of a durable consumer handled here (outcome: done, later, dropped, failed)",
        ("consumer", "outcome"),
    )
)
WAITED = metrics.Children(
    metrics.histogram(
        "consumer_wait_seconds",
        "From a stream's taking a message to the beginning of work on it, later deliveries included",
        ("consumer",),
        metrics.WAIT_BUCKETS,
    )
)


class Later(Exception):
    """Raised by a handler: give me this message again in `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"again in {seconds:g} s")
        self.seconds = seconds


class Delivery(Struct, frozen=True):
    """How a message came: its subject, and how often it was delivered (1 the first time)."""

    subject: str
    times: int


class Consumer(Struct, frozen=True, kw_only=True):
    """Working off a stream by its durable consumer, `concurrency` messages at once in this replica.

    While a handler works on a message the server is told so, however long it takes.
    """

    stream: StreamSpec
    concurrency: int = 16

    @property
    def durable(self) -> str:
        """The consumer's name."""
        return self.stream.durable.name


Handler = Callable[[Any, Delivery], Awaitable[None]]


class _Lost(Exception):
    """The stream or the consumer is not there (any more), or does not answer."""


class _Trouble:
    """What keeps a consumer from its messages, told once for as long as it lasts, and that it is over."""

    def __init__(self, consumer: str) -> None:
        self._consumer = consumer
        self._told: type[BaseException] | None = None

    def tell(self, error: BaseException) -> None:
        """Log what is wrong, unless it is what was wrong a moment ago."""
        if type(error) is self._told:
            return
        self._told = type(error)
        if isinstance(error, nats.js.errors.NotFoundError):
            # Room makes it: at its start, and again when NATS lost it.
            log.info("waits for room to make the stream", consumer=self._consumer)
        else:
            reason = without_rooms(repr(error))
            log.warning("cannot fetch; trying again", consumer=self._consumer, reason=reason)

    def over(self) -> None:
        """Log that messages come again, if anything was wrong."""
        if self._told is not None:
            self._told = None
            log.info("fetches from the stream", consumer=self._consumer)


async def consume(bus: Bus, spec: Consumer, kind: Any, handler: Handler, stop: asyncio.Event) -> None:
    """Handle the consumer's messages until `stop` is set; then finish those begun and return.

    An error of the handler gives the message back with a growing delay. Stream and consumer are made by whoever
    publishes into the stream, and are waited for: whoever may make a consumer may have it deliver to any subject.
    """
    tasks: dict[asyncio.Task[None], Msg] = {}
    beating = asyncio.create_task(_beat(spec, tasks))
    stopping = asyncio.create_task(stop.wait())
    again = asyncio.Event()

    async def reconnected() -> None:
        again.set()

    bus.on_reconnect.append(reconnected)
    backlog.watch(bus, spec.stream.name, spec.durable, spec.stream.subjects[0])
    trouble = _Trouble(spec.durable)
    try:
        while not stop.is_set():
            again.clear()
            error = await _pull_until(_pull(bus, spec, kind, handler, tasks, trouble), stopping, again)
            if error is not None:
                trouble.tell(error)
                await asyncio.wait({stopping}, timeout=AGAIN_SECONDS)
        if tasks:
            await asyncio.wait(tasks)  # for as long as our caller has patience
    finally:
        bus.on_reconnect.remove(reconnected)
        beating.cancel()
        stopping.cancel()


async def work_off(runtime: Runtime[Any], bus: Bus, spec: Consumer, kind: Any, handler: Handler) -> None:
    """A service whose work is one consumer: work until the end is asked for, finish what was begun, close the bus.

    Raises what ended the work before that: the process is then of no use, and must not seem to be ready.
    """
    seconds = runtime.settings.drain_seconds
    stop = asyncio.Event()
    work = asyncio.create_task(consume(bus, spec, kind, handler, stop))
    asked = asyncio.create_task(runtime.drain.requested())
    runtime.health.started = True
    log.info("ready")
    await asyncio.wait({work, asked}, return_when=asyncio.FIRST_COMPLETED)
    asked.cancel()
    stop.set()
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        log.warning("ended with work unfinished; another will take it up", consumer=spec.durable)
    finally:
        await bus.drain(seconds)


async def _beat(spec: Consumer, tasks: dict[asyncio.Task[None], Msg]) -> None:
    """Tell NATS of every message that is worked on: only those of a process that died are given to another."""
    while True:
        await asyncio.sleep(spec.stream.durable.ack_wait / 3)
        for task, message in list(tasks.items()):
            if not task.done():
                with contextlib.suppress(nats.errors.Error):
                    await message.in_progress()


async def _pull_until(
    pull: Coroutine[None, None, None], stopping: asyncio.Task[bool], again: asyncio.Event
) -> BaseException | None:
    """Pull until the end is asked for or NATS was reached anew (its pull request is lost then); or what went wrong."""
    working = asyncio.create_task(pull)
    renewing = asyncio.create_task(again.wait())
    try:
        await asyncio.wait({working, stopping, renewing}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await end_tasks(renewing, working)
    error = None if working.cancelled() else working.exception()
    if error is not None and not isinstance(
        error, _Lost | nats.errors.Error | BusError | TimeoutError | OSError
    ):
        raise error
    return error


async def _pull(
    bus: Bus,
    spec: Consumer,
    kind: Any,
    handler: Handler,
    tasks: dict[asyncio.Task[None], Msg],
    trouble: _Trouble,
) -> None:
    """Keep one pull request open and start a handler for each message the moment it comes.

    (nats-py's own `fetch` waits for a batch to fill, which would hold the first message back.)
    """
    await bus.js.consumer_info(spec.stream.name, spec.durable)
    inbox = bus.client.new_inbox()
    subscription = await bus.client.subscribe(inbox)
    wanted = 0
    try:
        while True:
            while len(tasks) >= spec.concurrency:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if wanted == 0:
                wanted = spec.concurrency - len(tasks)
                await _ask(bus, spec, inbox, wanted)
            message = await _next(subscription)
            status = (message.headers or {}).get("Status") if not message.data else None
            if status is None:
                wanted -= 1
                with tracing.continued(message.headers):
                    task = asyncio.create_task(_handle(message, kind, handler, spec.durable))
                tasks[task] = message
                task.add_done_callback(tasks.pop)
            elif status in ("404", "408"):
                wanted = 0
            elif status != "100":
                raise _Lost(f"status {status} {(message.headers or {}).get('Description', '')}")
            trouble.over()
    finally:
        with contextlib.suppress(nats.errors.Error):
            await subscription.unsubscribe()


async def _ask(bus: Bus, spec: Consumer, inbox: str, count: int) -> None:
    nanoseconds = 1_000_000_000
    request = {
        "batch": count,
        "expires": int(PULL_SECONDS * nanoseconds),
        "idle_heartbeat": int(HEARTBEAT_SECONDS * nanoseconds),
    }
    subject = f"$JS.API.CONSUMER.MSG.NEXT.{spec.stream.name}.{spec.durable}"
    await bus.client.publish(subject, msgspec.json.encode(request), reply=inbox)


async def _next(subscription: Subscription) -> Msg:
    """The next message or status; silence for longer than two heartbeats means that the request was lost."""
    try:
        return await subscription.next_msg(timeout=2 * HEARTBEAT_SECONDS + 0.5)
    except nats.errors.TimeoutError:
        raise _Lost("no heartbeat") from None


async def _handle(message: Msg, kind: Any, handler: Handler, durable: str) -> None:
    times = message.metadata.num_delivered or 1
    WAITED[(durable,)].observe(max(0.0, time.time() - message.metadata.timestamp.timestamp()))
    began, outcome = time.perf_counter(), "failed"
    try:
        said = decode(message.data, kind, f"a message on {pattern(message.subject)}")
        await handler(said, Delivery(message.subject, times))
        answer, outcome = message.ack(), "done"
    except Later as later:
        answer, outcome = message.nak(delay=later.seconds), "later"
    except BadMessage as error:
        log.error("dropped a message", reason=str(error), **told(message.subject))
        answer, outcome = message.term(), "dropped"
    except Exception:
        log.exception("a handler failed; the message will come again", times=times, **told(message.subject))
        answer = message.nak(delay=min(30.0, 0.5 * 2 ** min(times, 6)))
    CONSUMED[durable, outcome].observe(time.perf_counter() - began)
    with contextlib.suppress(nats.errors.Error):
        await answer
