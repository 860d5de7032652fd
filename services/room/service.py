"""The room service as a process: connect, serve, sweep, and end in peace."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from uuid import UUID

from services.room import census
from services.room.acting import BotDesk
from services.room.deadlines import Deadlines
from services.room.decide import Desk
from services.room.http.app import make_app
from services.room.http.context import Context
from services.room.http.front import Front
from services.room.http.limits import CONNECTIONS, Limiter
from services.room.hub import Hub
from services.room.outbox import Outbox
from services.room.rooms import Rooms
from services.room.rules import Rules
from services.room.settings import RoomSettings
from services.room.store.cold import ColdLobbies
from services.room.store.store import Store, StoreDown
from services.room.sweep import Sweep
from shared.ops.database import Pool
from shared.ops.http import serve_http
from shared.ops.logging import get_logger
from shared.ops.service import Runtime, StartError
from shared.ops.tasks import end_tasks
from shared.wire.client import Bus
from shared.wire.discovery import announce
from shared.wire.errors import BusError

log = get_logger("room")

START_SECONDS = 30.0
AGAIN_SECONDS = 1.0
"""How long a background part that failed waits before it begins again."""


class RoomService:
    """The parts of a running room service, put together. Tests run it inside their own process."""

    def __init__(self, settings: RoomSettings, bus: Bus) -> None:
        self.settings = settings
        self.bus = bus
        self.store = Store(Pool(settings.database_url, settings.db_connections))
        self.lobbies = ColdLobbies(settings.database_url)
        self.outbox = Outbox(bus, self.store)
        self.rules = Rules(bus, self.store)
        self.desk = Desk(self.store, self.rules, self.outbox, (settings.order_least, settings.order_most))
        self.hub = Hub(
            bus,
            settings.instance,
            forget=lambda room: self.desk.forget(UUID(room)),
            outdated=lambda room, version: self.desk.heads.outdated(UUID(room), version),
            lobbies=self.store.lobbies,
        )
        self.rooms = Rooms(self.store, self.lobbies, self.rules, self.desk, self.hub, settings.scenarios)
        self.sweep = Sweep(settings, self.store, self.desk, self.outbox)
        self.deadlines = Deadlines(self.store, self.desk)
        self.context = Context(
            settings=settings,
            bus=bus,
            store=self.store,
            lobbies=self.lobbies,
            desk=self.desk,
            hub=self.hub,
            rooms=self.rooms,
            limiter=Limiter(settings.rate_factor),
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Listen and sweep while the block runs; then finish what was begun. Raises BusError or StoreDown."""
        await self.store.ping(START_SECONDS)
        await self.outbox.prepare(START_SECONDS)
        census.watch(self.store)
        await self.hub.presence.listen()
        await BotDesk(self.bus, self.desk).listen()
        hub = (self.hub.run, self.hub.compare, self.hub.look_at_lobbies)
        work = (self.outbox.run, *hub, self.sweep.run, self.deadlines.run)
        tasks = [asyncio.create_task(kept_running(part)) for part in work]
        tasks.append(asyncio.create_task(self.lobbies.warm()))
        try:
            yield
        finally:
            self.hub.drain()
            await end_tasks(*tasks)
            await self.outbox.close()

    async def close(self) -> None:
        """Close the connections to PostgreSQL."""
        await self.store.close()
        await self.lobbies.close()

    async def check_store(self) -> str | None:
        """A readiness check: None when the database answers."""
        await self.store.ping()
        return None


async def kept_running(part: Callable[[], Coroutine[None, None, None]]) -> None:
    """Run one of the endless parts until cancelled: without it room would seem well and lose what others wait for."""
    while True:
        try:
            await part()
        except Exception:
            log.exception("a background part of room failed; it begins again")
        await asyncio.sleep(AGAIN_SECONDS)


async def serve(runtime: Runtime[RoomSettings]) -> None:
    """Run until the drain is asked for. Raises StartError when PostgreSQL or NATS cannot be used."""
    settings = runtime.settings
    try:
        bus = await Bus.connect(settings.nats_url, "room", creds=settings.nats_creds, wait=START_SECONDS)
    except BusError as error:
        raise StartError(str(error)) from None
    service = RoomService(settings, bus)
    runtime.health.add("postgresql", service.check_store)
    runtime.health.add("nats", bus.check)
    app = make_app(runtime.health)
    app.state.context = service.context
    try:
        async with service.running():
            await announce(bus, "room", settings.instance)
            runtime.health.started = True
            ender = asyncio.create_task(_end_streams(runtime, service))
            await serve_http(
                Front(app),
                runtime.drain,
                kind="http",
                host=settings.http_host,
                port=settings.http_port,
                fd=settings.http_fd,
                lifespan="off",
                limit_concurrency=CONNECTIONS,
            )
            ender.cancel()
    except (BusError, StoreDown) as error:
        raise StartError(
            f"{error}; is the database migrated (python -m services.room.migrate) and NATS running with JetStream?"
        ) from None
    finally:
        await bus.drain()  # before the store: until then bots are answered
        await service.close()


async def _end_streams(runtime: Runtime[RoomSettings], service: RoomService) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        await runtime.drain.requested()
        service.hub.drain()
