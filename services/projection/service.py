"""The projection service: folds commits for rooms that somebody watches, answers for views.

Any replica can take up any room at any moment; at each moment a room belongs to one of them. (`rooms.py`)
"""

from __future__ import annotations

import asyncio
import secrets

from services.projection.rooms import Projection
from services.projection.shares import Shares
from services.projection.store import Store
from shared.ops.database import Connection, Pool
from shared.ops.logging import get_logger
from shared.ops.service import Runtime
from shared.ops.settings import Count, DatabaseSettings
from shared.wire import streams, subjects
from shared.wire.client import Bus
from shared.wire.consumer import Consumer, work_off
from shared.wire.discovery import announce
from shared.wire.messages import Commit, Reached, ReplicaHere, ViewRequest, Watching

__all__ = ["Projection", "ProjectionSettings", "serve"]

log = get_logger("projection")

CONSUMER = Consumer(stream=streams.COMMITS, concurrency=64)


class ProjectionSettings(DatabaseSettings, frozen=True, kw_only=True):
    """Settings of the projection service: how many rooms a replica holds hot, and its connections to PostgreSQL."""

    hot_rooms: Count = 2000
    connections: Count = 4


async def serve(runtime: Runtime[ProjectionSettings]) -> None:
    """Fold and answer until asked to end."""
    settings = runtime.settings
    bus = await Bus.connect(settings.nats_url, "projection", creds=settings.nats_creds)
    pool = Pool(settings.database_url, settings.connections, name="sietch-projection")
    replica = secrets.token_hex(6)
    projection = Projection(bus, Store(pool), settings.hot_rooms, Shares(replica))
    runtime.health.add("nats", bus.check)
    runtime.health.add("postgres", lambda: _database(pool))
    await _listen(bus, projection, replica)
    await announce(bus, "projection", settings.instance)
    sharing = asyncio.create_task(_share(projection, runtime))
    try:
        await work_off(runtime, bus, CONSUMER, Commit, projection.committed)
    finally:
        sharing.cancel()
    await pool.close()


async def _share(projection: Projection, runtime: Runtime[ProjectionSettings]) -> None:
    """Have a share of the rooms until the end is asked for, then leave them to the others."""
    work = asyncio.create_task(projection.share())
    try:
        await runtime.drain.requested()
        await projection.leave()
    finally:
        work.cancel()


async def _listen(bus: Bus, projection: Projection, replica: str) -> None:
    await bus.subscribe(subjects.PROJECTION_HERE, ReplicaHere, projection.here)
    await bus.subscribe(subjects.interest("*"), Watching, projection.watching)
    own = subjects.projection_at
    await bus.serve(own(replica, "view"), ViewRequest, projection.own_view, concurrency=128)
    await bus.serve(own(replica, "reach"), Reached, projection.reach, concurrency=64)
    await bus.serve(
        subjects.PROJECTION_VIEW,
        ViewRequest,
        projection.view,
        queue=subjects.PROJECTION_QUEUE,
        concurrency=128,
    )


async def _database(pool: Pool) -> str | None:
    async def one(connection: Connection) -> None:
        await connection.execute("SELECT 1")

    await pool.reading(one, 1.0)
    return None
