"""The floor: processes like ours that do nothing but what cannot be left out.

    python -m tests.bench.skeleton echo     answers NATS requests with what was sent
    python -m tests.bench.skeleton http     a server like room's: one POST, one request, one append of the same rows

`FLOOR_SCRIPT` names the file with the written game, whose rows are appended to tables laid out as the product's.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import msgspec
import nats
import psycopg
import uvloop
from fastapi import FastAPI, Request
from nats.aio.client import Client
from nats.aio.msg import Msg
from starlette.responses import Response, StreamingResponse

from services.room.bodies import Action
from shared.ops.drain import Drain
from shared.ops.http import serve_http
from shared.ops.logging import setup_logging
from tests.bench.script import Step

TABLES = """
CREATE SCHEMA IF NOT EXISTS floor;
CREATE TABLE IF NOT EXISTS floor.commits (LIKE public.commits INCLUDING ALL);
CREATE TABLE IF NOT EXISTS floor.events (LIKE public.events INCLUDING ALL);
"""
APPEND = """
WITH commit_row AS (
    INSERT INTO floor.commits
        (room, version, command_id, asked, seat, outcome, checkpoint, events, finished, prev_hash, hash)
    VALUES (%(room)s, %(version)s, %(command)s, %(hash)s, %(seat)s, '{"ok":true}', %(checkpoint)s, %(count)s, false,
        %(hash)s, %(hash)s)
)
INSERT INTO floor.events (room, version, index, type, body)
SELECT %(room)s, %(version)s, fact.ord - 1, 'Event', fact.body
FROM jsonb_array_elements(%(events)s::jsonb) WITH ORDINALITY AS fact (body, ord)"""
OK = b'{"ok":true}'
HASH = bytes(range(32))


class Floor:
    """One NATS connection, one pinned connection to PostgreSQL, and the rows of the written game."""

    def __init__(self, client: Client, connection: psycopg.AsyncConnection, steps: list[Step]) -> None:
        self.client = client
        self.connection = connection
        self.steps = steps
        self.room = uuid4()
        self.version = 0
        self.changed = asyncio.Event()
        self.told: list[bytes] = []

    async def hop(self, body: bytes) -> None:
        """One request and its reply."""
        await self.client.request("floor.echo", body, timeout=5)

    async def append(self, index: int) -> None:
        """Append the rows of one step."""
        step = self.steps[index % len(self.steps)]
        self.version += 1
        values = {
            "room": self.room,
            "version": self.version,
            "command": uuid4(),
            "seat": step.seat,
            "checkpoint": bytes(step.checkpoint),
            "count": len(step.events),
            "hash": HASH,
            "events": msgspec.json.encode(step.events).decode(),
        }
        await self.connection.execute(APPEND, values, prepare=True)

    def shown(self, index: int) -> bytes:
        """About what a change of a view is: the events of a step."""
        return msgspec.json.encode(self.steps[index % len(self.steps)].events)

    async def tell(self, message: Msg) -> None:
        """A relayed message goes to the open stream."""
        self.told.append(message.data)
        self.changed.set()

    async def stream(self) -> AsyncIterator[bytes]:
        """What was told, as lines."""
        yield b"\n"
        while True:
            self.changed.clear()
            lines, self.told = self.told, []
            for data in lines:
                yield b'{"event":"changed","data":%s}\n' % data
            await self.changed.wait()


def make_app(floor: Floor) -> FastAPI:
    """The routes, in the same framework as room's."""
    app = FastAPI(openapi_url=None, redirect_slashes=False)
    action = msgspec.json.Decoder(Action)

    @app.post("/{what}/{index}")
    async def act(request: Request, what: str, index: int) -> Response:
        body = await request.body()
        action.decode(body)
        started = time.perf_counter()
        if what in ("hop", "skeleton"):
            await floor.hop(body)
        if what in ("append", "skeleton"):
            await floor.append(index)
        if what == "tell":
            await floor.client.publish("floor.said", floor.shown(index))
            return Response(msgspec.json.encode(started), media_type="application/json")
        if what in ("skeleton", "post"):
            return Response(OK, media_type="application/json")
        return Response(msgspec.json.encode(time.perf_counter() - started), media_type="application/json")

    @app.get("/stream")
    async def stream() -> StreamingResponse:
        return StreamingResponse(floor.stream(), media_type="application/x-ndjson")

    return app


async def echo(url: str) -> None:
    """Answer requests, and pass messages on, until killed."""
    client = await nats.connect(url)

    async def reply(message: Msg) -> None:
        await client.publish(message.reply, message.data)

    async def relay(message: Msg) -> None:
        await client.publish("floor.shown", message.data)

    await client.subscribe("floor.echo", cb=reply)
    await client.subscribe("floor.said", cb=relay)
    for _ in range(2):  # the first ping may pass the subscriptions, see shared/wire/connection.py
        await client.flush()
    print("ready", flush=True)
    await asyncio.Event().wait()


async def http(url: str) -> None:
    """Serve until killed."""
    client = await nats.connect(url)
    connection = await psycopg.AsyncConnection.connect(os.environ["FLOOR_DATABASE_URL"], autocommit=True)
    steps = msgspec.json.decode(Path(os.environ["FLOOR_SCRIPT"]).read_bytes(), type=list[Step])
    floor = Floor(client, connection, steps)
    await client.subscribe("floor.shown", cb=floor.tell)
    await serve_http(make_app(floor), Drain(), kind="http", host="127.0.0.1", lifespan="off")


def main() -> None:
    """Run one of the two processes."""
    setup_logging("floor", "floor")
    work = {"echo": echo, "http": http}[sys.argv[1]]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work(os.environ["FLOOR_NATS_URL"]))


if __name__ == "__main__":
    main()
