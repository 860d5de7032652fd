"""Pinned autocommit connections to PostgreSQL: a checkout is a list operation, a statement one round trip.

A connection that broke is made again at its next use and nothing is checked before: whoever reads, reads again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import psycopg

from shared.ops import metrics, scrape

T = TypeVar("T")
Connection = psycopg.AsyncConnection[tuple[Any, ...]]
LOST = (psycopg.OperationalError, psycopg.InterfaceError)


CONNECTIONS = scrape.Seen(
    "store_connections",
    "Connections to PostgreSQL by what they do: a pool's size is their sum",
    ("pool", "state"),
)
WAITING = scrape.Seen("store_waiting", "Who waits for a connection of a pool", ("pool",))
WAITED = metrics.Children(
    metrics.histogram(
        "store_wait_seconds",
        "The wait for a connection, of those that had to wait",
        ("pool",),
        metrics.WAIT_BUCKETS,
    )
)


shown: dict[str, Callable[[], tuple[int, int, int]]] = {}
"""The pools of this process that metrics show, by name: idle, used, waiting."""


async def _look() -> None:
    for name, state in shown.items():
        idle, used, waiting = state()
        CONNECTIONS.set(idle, name, "idle")
        CONNECTIONS.set(used, name, "used")
        WAITING.set(waiting, name)


scrape.looks["pools"] = scrape.Look("pools", _look, (CONNECTIONS, WAITING))


class StoreLost(Exception):
    """The connection to PostgreSQL broke: what was being written may or may not have been committed."""


def sqlalchemy_url(dsn: str) -> str:
    """The same database for SQLAlchemy, with psycopg 3 as the driver."""
    return "postgresql+psycopg://" + dsn.split("://", 1)[1]


class Pool:
    """A fixed number of connections, each made at first use and made again after it broke. `name` shows in its log."""

    def __init__(
        self, dsn: str, size: int = 4, statement_timeout: float = 10.0, name: str = "sietch-room"
    ) -> None:
        self._dsn = dsn
        self._name = name
        self._options = f"-c statement_timeout={int(statement_timeout * 1000)} -c timezone=UTC"
        self._size = size
        self._waiting = 0
        self._slots: asyncio.LifoQueue[Connection | None] = asyncio.LifoQueue()
        for _ in range(size):
            self._slots.put_nowait(None)
        shown[name] = self.state

    def state(self) -> tuple[int, int, int]:
        """Places that are idle, connections that are used, and who waits for one."""
        idle = self._slots.qsize()
        return idle, self._size - idle, self._waiting

    async def _slot(self) -> Connection | None:
        """A place in the pool, with its connection if it was made; waits while all are used."""
        if not self._slots.empty():
            return self._slots.get_nowait()
        began = time.perf_counter()
        self._waiting += 1
        try:
            return await self._slots.get()
        finally:
            self._waiting -= 1
            WAITED[(self._name,)].observe(time.perf_counter() - began)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """One connection for one statement or transaction. Raises `StoreLost` when it breaks or cannot be made."""
        slot = await self._slot()
        try:
            if slot is None or slot.closed:
                slot = await self._connect()
            yield slot
        except LOST as lost:
            await _drop(slot)
            slot = None
            raise StoreLost(f"the connection to PostgreSQL broke ({type(lost).__name__})") from lost
        except asyncio.CancelledError:
            await _drop(slot)
            slot = None
            raise
        finally:
            self._slots.put_nowait(slot)

    async def reading(self, work: Callable[[Connection], Awaitable[T]], patience: float) -> T:
        """Do what may be done twice, again on a new connection when one broke, for `patience` seconds: `StoreLost`."""
        until = time.monotonic() + patience
        pause = 0.0
        while True:
            try:
                async with self.connection() as connection:
                    return await work(connection)
            except StoreLost:
                if time.monotonic() + pause >= until:
                    raise
            await asyncio.sleep(pause)
            pause = min(0.3, pause + 0.05)

    async def _connect(self) -> Connection:
        return await psycopg.AsyncConnection.connect(
            self._dsn,
            autocommit=True,
            connect_timeout=3,
            options=self._options,
            application_name=self._name,
        )

    async def close(self) -> None:
        """Close every connection that is not in use."""
        while not self._slots.empty():
            slot = self._slots.get_nowait()
            if slot is not None:
                await slot.close()


async def _drop(slot: Connection | None) -> None:
    if slot is not None:
        await slot.close()
