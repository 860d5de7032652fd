"""The floor under busy rooms: three processes that hand every action over the same hops and do nothing else.

    python -m tests.bench.hops echo     stands for rules: answers each request with what was sent
    python -m tests.bench.hops tell     stands for projection: a message for each audience that is shown something
    python -m tests.bench.hops http     stands for room: one request, one append of the same rows, streams

`FLOOR_SCRIPT` names the written steps, whose rows are appended to tables laid out as the product's.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

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
from tests.bench.skeleton import OK, Floor

__all__ = ["HOPS"]

HOPS = ("echo", "tell", "http")
"""The processes, the HTTP server last."""
CONNECTIONS = 6
"""As many as room has."""


class Said(msgspec.Struct):
    """What room says of a commit: where, and which step of the script it was."""

    room: str
    step: int


class Streams:
    """Open streams by room and seat: what is to be written to each."""

    def __init__(self) -> None:
        self._queues: dict[str, asyncio.Queue[bytes]] = defaultdict(asyncio.Queue)

    async def heard(self, message: Msg) -> None:
        """A change for one audience, on a subject that ends with room and seat."""
        self._queues[message.subject.partition(".view.")[2]].put_nowait(message.data)

    async def follow(self, name: str) -> AsyncIterator[bytes]:
        """Its lines, several at once when they have piled up."""
        queue = self._queues[name]
        yield b'{"event":"view","data":{"seq":0,"view":{}}}\n'
        while True:
            lines = [await queue.get()]
            while not queue.empty():
                lines.append(queue.get_nowait())
            yield b"".join(b'{"event":"changed","data":%s}\n' % line for line in lines)


def make_app(client: Client, floors: asyncio.Queue[Floor], streams: Streams) -> FastAPI:
    """The two routes, in the same framework as room's."""
    app = FastAPI(openapi_url=None, redirect_slashes=False)
    action = msgspec.json.Decoder(Action)

    @app.post("/rooms/{room}/actions/{step}")
    async def act(request: Request, room: str, step: int) -> Response:
        body = await request.body()
        action.decode(body)
        await client.request("floor.echo", body, timeout=10)
        floor = await floors.get()
        try:
            await floor.append(step)
        finally:
            floors.put_nowait(floor)
        await client.publish("floor.commit", msgspec.json.encode(Said(room, step)))
        return Response(OK, media_type="application/json")

    @app.get("/rooms/{room}/stream/{seat}")
    async def stream(room: str, seat: str) -> StreamingResponse:
        return StreamingResponse(streams.follow(f"{room}.{seat}"), media_type="application/x-ndjson")

    return app


async def http(url: str, steps: list[Step]) -> None:
    """Serve until killed."""
    client = await nats.connect(url)
    floors: asyncio.Queue[Floor] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        connection = await psycopg.AsyncConnection.connect(os.environ["FLOOR_DATABASE_URL"], autocommit=True)
        floors.put_nowait(Floor(client, connection, steps))
    streams = Streams()
    await client.subscribe("floor.view.>", cb=streams.heard)
    app = make_app(client, floors, streams)
    await serve_http(app, Drain(), kind="http", host="127.0.0.1", lifespan="off")


async def echo(url: str, steps: list[Step]) -> None:
    """Answer requests until killed."""
    client = await nats.connect(url)

    async def reply(message: Msg) -> None:
        await client.publish(message.reply, message.data)

    await client.subscribe("floor.echo", cb=reply)
    await _ready(client)


async def tell(url: str, steps: list[Step]) -> None:
    """Tell each audience that is shown something, with a number of its own, until killed."""
    client = await nats.connect(url)
    numbers: dict[str, int] = defaultdict(int)
    events = [msgspec.json.encode(step.events) for step in steps]

    async def told(message: Msg) -> None:
        said = msgspec.json.decode(message.data, type=Said)
        at = said.step % len(steps)
        for audience in steps[at].shown:
            name = f"{said.room}.{audience}"
            numbers[name] += 1
            await client.publish(
                f"floor.view.{name}", b'{"seq":%d,"events":%s}' % (numbers[name], events[at])
            )

    await client.subscribe("floor.commit", cb=told)
    await _ready(client)


async def _ready(client: Client) -> None:
    for _ in range(2):  # the first ping may pass the subscriptions, see shared/wire/connection.py
        await client.flush()
    print("ready", flush=True)
    await asyncio.Event().wait()


def main() -> None:
    """Run one of the processes."""
    setup_logging("floor", "floor")
    work = {"echo": echo, "tell": tell, "http": http}[sys.argv[1]]
    steps = msgspec.json.decode(Path(os.environ["FLOOR_SCRIPT"]).read_bytes(), type=list[Step])
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work(os.environ["FLOOR_NATS_URL"], steps))


if __name__ == "__main__":
    main()
