"""One connection to NATS: made within a time, kept for ever, ended in peace."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Self

import nats
from nats.aio.client import Client
from nats.aio.subscription import Subscription
from nats.js import JetStreamContext

from shared.ops.logging import get_logger
from shared.ops.refs import without_rooms
from shared.wire.errors import BusDown
from shared.wire.measured import CONNECTED, RECONNECTED

__all__ = ["Connection", "problem"]

log = get_logger("bus")

REFUSE_SECONDS = 1.0


def problem(error: Exception) -> str:
    """What NATS or the network said; of any other error only its kind: its text may hold a message's content."""
    plain = isinstance(error, nats.errors.Error | OSError)
    return (without_rooms(str(error)) if plain else "") or type(error).__name__


async def _wait(tasks: Iterable[asyncio.Task[None]], seconds: float) -> None:
    """Until all of them (if there are any) are done, at most so many seconds."""
    if found := [*tasks]:
        await asyncio.wait(found, timeout=max(0.0, seconds))


class Connection:
    """Begins by `connect` and ends by `drain`; between the two it is made again whenever it breaks."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.js: JetStreamContext = client.jetstream(timeout=5)
        self._tasks: set[asyncio.Task[None]] = set()
        self._subscriptions: list[Subscription] = []
        self._served: list[Subscription] = []
        self._refusing = False
        self.on_reconnect: list[Callable[[], Awaitable[None]]] = []

    @classmethod
    async def connect(
        cls, url: str, name: str, *, inbox: str | None = None, creds: str | None = None, wait: float = 30.0
    ) -> Self:
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
            async with asyncio.timeout(wait):
                await client.connect(**options)
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

    async def flush(self, seconds: int = 2) -> None:
        """Return when the server has read all that was said: what was subscribed stands, what was published is out.

        The ping of nats-py's own `flush` passes what still waits to be written, and may be answered before the server
        has heard of a subscription; what waited is written by then, so that the second ping comes after it.
        Raises nats.errors.Error, also when one of the two is not answered within so many seconds.
        """
        for _ in range(2):
            await self.client.flush(timeout=seconds)

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
            async with asyncio.timeout(1.5):
                await self.client.flush(timeout=1)
        with contextlib.suppress(
            nats.errors.Error, OSError
        ):  # OSError: a refusal that nobody can be told any more
            async with asyncio.timeout(2):
                await self.client.close()

    async def _empty(self, subscription: Subscription) -> None:
        """Let no more requests come, and wait until those that did are handled or have their handler.

        NATS must have read of it before: nats-py's own ping may pass it, and a request that is handed out between the
        two would come to nobody.
        """
        with contextlib.suppress(nats.errors.Error, TimeoutError):
            await self.client._send_unsubscribe(subscription._id)
            await self.flush()
            await subscription.drain()  # type: ignore[no-untyped-call]

    async def _on_error(self, error: Exception) -> None:
        log.warning("bus problem", problem=problem(error))

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

    def _spawn(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
