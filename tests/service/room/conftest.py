"""A running room service per test, with a made-up game behind it: fake rules and a fake projection on the real bus."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import msgspec
import psycopg
import pytest
from msgspec import Raw

from services.room.http.app import make_app
from services.room.http.front import Front
from services.room.service import RoomService
from services.room.settings import RoomSettings
from shared.ops.drain import Drain
from shared.ops.health import Health
from shared.ops.http import bind, serve_http
from shared.wire import subjects
from shared.wire.chain import canonical, link
from shared.wire.client import Bus
from shared.wire.messages import (
    AnswerOffer,
    Behind,
    Commit,
    Decide,
    Decided,
    NoView,
    OpenOffer,
    Refused,
    Reply,
    StageTable,
    StartGame,
    View,
    ViewChanged,
    ViewRequest,
    Watching,
)
from shared.wire.subjects import PROJECTION_VIEW, RULES_CHECK, RULES_DECIDE, RULES_QUEUE, rules_at
from tests.service.room.processes import Process
from tests.waiting import PATIENCE, until


def raw(value: object) -> Raw:
    """Any value as the JSON that travels between services."""
    return Raw(msgspec.json.encode(value))


class FakeRules:
    """A made-up game: each seat always has one open offer `<seat>-<n>`, where n counts its answers.

    An answer may ask to be refused (`refuse`), to end the game (`end`) or to take long (`sleep`). The table lives in
    memory under the chain hash that its commit will have, as in the real service: of two decisions only one is right.
    """

    def __init__(self, bus: Bus, name: str = "fake") -> None:
        self.bus = bus
        self.name = name
        self.tables: dict[bytes, dict[str, int]] = {}
        self.loads: list[bool] = []
        self.decided = 0
        self.snapshot_every = 0
        self.clock = "turn"

    async def listen(self) -> None:
        await self.bus.serve(RULES_DECIDE, Decide, self.decide, queue=RULES_QUEUE)
        await self.bus.serve(RULES_CHECK, Decide, self.decide, queue=RULES_QUEUE)
        await self.bus.serve(rules_at(self.name, "decide"), Decide, self.decide)
        await self.bus.serve(rules_at(self.name, "check"), Decide, self.decide)

    def table(self, asked: Decide) -> dict[str, int] | None:
        if asked.load is not None:
            self.loads.append(asked.load.table is not None)
            counts = {} if asked.load.table is None else msgspec.json.decode(asked.load.table)
            for event in msgspec.json.decode(asked.load.events):
                fold(counts, event)
            assert msgspec.json.decode(asked.load.checkpoint)["counts"] == counts
            return counts
        held = self.tables.get(asked.tip)
        return None if held is None else dict(held)

    async def decide(self, asked: Decide) -> Reply:
        command = asked.command
        if isinstance(command, StartGame | StageTable):
            text = command.settings if isinstance(command, StartGame) else command.case
            settings = msgspec.json.decode(text)
            if settings.get("mode") == "advanced":
                return Refused(self.name, "settings", "no such game here", "TEST-01", {"mode": "advanced"})
            counts: dict[str, int] = {}
            events = [{"event": "GameBegan", "seats": settings["seats"], "z": 1, "a": "ü"}]
        else:
            found = self.table(asked)
            if found is None:
                return Behind(self.name, 0)
            counts = found
            if command.offer != f"{command.seat}-{counts.get(command.seat, -1)}":
                return Refused(self.name, "stale", "that offer is not open")
            answer: dict[str, Any] = {"expired": True}
            if isinstance(command, AnswerOffer):
                answer = msgspec.json.decode(command.answer)
            if "refuse" in answer:
                return Refused(self.name, "too_much", "not that much", "TEST-02", {"most": 3})
            await asyncio.sleep(answer.get("sleep", 0))
            events = [{"event": "Answered", "seat": command.seat, "answer": answer}]
            events += [{"event": "Noted", "number": n} for n in range(answer.get("more", 0))]
        for event in events:
            fold(counts, event)
        self.decided += 1
        return self.decision(asked, events, counts)

    def decision(self, asked: Decide, events: list[dict[str, Any]], counts: dict[str, int]) -> Decided:
        """The reply, with the table kept under the hash that its commit will have."""
        version = asked.version + 1
        texts, checkpoint = (
            [msgspec.json.encode(event) for event in events],
            msgspec.json.encode({"counts": counts}),
        )
        command_id = UUID(bytes=asked.command_id or bytes(16))
        tip = link(
            asked.tip, UUID(asked.room), version, command_id, [canonical(t) for t in texts], checkpoint
        )
        self.tables[tip] = counts
        ended = any(event.get("answer", {}).get("end") for event in events)
        return Decided(
            self.name,
            version,
            [Raw(text) for text in texts],
            Raw(checkpoint),
            [] if ended else [OpenOffer(s, f"{s}-{n}", "ask", self.clock) for s, n in counts.items()],
            finished=ended,
            result=raw({"winners": ["atreides"]}) if ended else None,
            snapshot=raw(counts)
            if isinstance(asked.command, StageTable)
            or (self.snapshot_every and version % self.snapshot_every == 0)
            else None,
            turn=version,
            phase="bidding",
        )


def fold(counts: dict[str, int], event: dict[str, Any]) -> None:
    """What the made-up game's table remembers."""
    if event["event"] == "GameBegan":
        counts.update(dict.fromkeys(event["seats"], 0))
    elif event["event"] == "Answered":
        counts[event["seat"]] += 1
        if event["answer"].get("end"):
            counts.clear()  # nobody is asked anything any more


class FakeProjection:
    """Shows every audience the version as its sequence; `mute` loses what all, or one, should hear."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.versions: dict[str, int] = {}
        self.commits: list[tuple[str, int]] = []
        self.watched: dict[str, list[str]] = {}
        self.asked = 0
        self.mute: bool | str = False

    async def listen(self) -> None:
        await self.bus.subscribe(subjects.COMMIT_ALL, Commit, self.commit)
        await self.bus.subscribe("watch.*", Watching, self.watch)
        await self.bus.serve(PROJECTION_VIEW, ViewRequest, self.view)

    async def folded(self, version: int) -> None:
        """Wait until a commit of this version has come by."""
        await until(lambda: version in {number for _, number in self.commits}, f"commit {version}")

    async def watch(self, _: str, watching: Watching) -> None:
        self.watched[watching.room] = watching.audiences

    async def commit(self, _: str, commit: Commit) -> None:
        self.commits.append((commit.room, commit.version))
        self.versions[commit.room] = max(commit.version, self.versions.get(commit.room, 0))
        for audience in self.watched.get(commit.room, []):
            if self.mute is True or self.mute == audience:
                continue
            change = ViewChanged(
                commit.room, audience, commit.version, [raw({"event": "Seen"})], raw({"n": commit.version})
            )
            await self.bus.publish(subjects.view(commit.room, audience), change)

    async def view(self, asked: ViewRequest) -> View | NoView:
        self.asked += 1
        version = self.versions.get(asked.room, 0)
        if version == 0 or version < asked.version:
            return NoView("not yet")
        return View(asked.room, asked.audience, version, raw({"n": version, "audience": asked.audience}))


class Server:
    """One room replica serving HTTP in this process, and a client for it."""

    def __init__(self, service: RoomService, url: str, drain: Drain) -> None:
        self.service = service
        self.url = url
        self.drain = drain
        self.http = httpx.AsyncClient(base_url=url, timeout=PATIENCE)

    async def call(
        self, method: str, path: str, body: object = None, token: str = "", **headers: str
    ) -> httpx.Response:
        """One request without cookies; a body goes as JSON."""
        self.http.cookies.clear()
        if token:
            headers["authorization"] = f"Bearer {token}"
        content = None
        if body is not None:
            content = body if isinstance(body, bytes) else msgspec.json.encode(body)
            headers.setdefault("content-type", "application/json")
        return await self.http.request(method, f"/api{path}", content=content, headers=headers)

    async def started(self, bots: int = 0, **settings: object) -> Game:
        """A running game of two persons (and bots)."""
        made = (await self.call("POST", "/rooms", {"settings": settings, "player": "Ann"})).json()
        code, host = made["code"], made["host_token"]
        other = (await self.call("POST", f"/rooms/{code}/seats", {"name": "Ben"})).json()
        for _ in range(bots):
            assert (await self.call("POST", f"/rooms/{code}/bots", {}, host)).status_code == 201
        answer = await self.call("POST", f"/rooms/{code}/start", {"force": True}, host)
        assert answer.status_code == 200, answer.text
        state = (await self.call("GET", f"/rooms/{code}")).json()
        factions = {seat["seat"]: seat["faction"] for seat in state["seats"]}
        tokens = {factions[1]: made["seat_token"], factions[other["seat"]]: other["token"]}
        return Game(self, code, host, tokens, factions)


class Game:
    """A running game in a room."""

    def __init__(
        self, server: Server, code: str, host: str, tokens: dict[str, str], factions: dict[int, str]
    ) -> None:
        self.server = server
        self.code = code
        self.host = host
        self.tokens = tokens
        self.factions = factions
        self.seats = list(tokens)

    async def act(
        self, seat: str, number: int, command_id: str, answer: object = None, server: Server | None = None
    ) -> httpx.Response:
        """Answer the seat's offer number `number`."""
        body = {"command_id": command_id, "offer": f"{seat}-{number}", "answer": answer or {}}
        return await (server or self.server).call(
            "POST", f"/rooms/{self.code}/actions", body, self.tokens[seat]
        )


@pytest.fixture
async def bus(nats_url: str) -> AsyncIterator[Bus]:
    """A connection for the test and its fakes."""
    bus = await Bus.connect(nats_url, "test")
    yield bus
    await bus.drain()


@pytest.fixture
async def rules(bus: Bus) -> FakeRules:
    """The made-up game, listening."""
    fake = FakeRules(bus)
    await fake.listen()
    await bus.flush()
    return fake


@pytest.fixture
async def projection(bus: Bus) -> FakeProjection:
    """The made-up views, listening."""
    fake = FakeProjection(bus)
    await fake.listen()
    await bus.flush()
    return fake


@asynccontextmanager
async def serving(settings: RoomSettings) -> AsyncIterator[Server]:
    """Run one replica."""
    bus = await Bus.connect(settings.nats_url, "room")
    service = RoomService(settings, bus)
    health, drain = Health(), Drain()
    health.add("postgresql", service.check_store)
    health.add("nats", bus.check)
    app = make_app(health)
    app.state.context = service.context
    sock = bind("127.0.0.1", 0)
    url = f"http://127.0.0.1:{sock.getsockname()[1]}"
    async with service.running():
        health.started = True
        task = asyncio.create_task(
            serve_http(Front(app), drain, kind="http", fd=sock.detach(), lifespan="off")
        )
        server = Server(service, url, drain)
        try:
            yield server
        finally:
            service.hub.drain()
            await server.http.aclose()
            drain.ask()
            await task
    await service.close()
    await bus.drain()


@pytest.fixture
async def replica(
    database_url: str, nats_url: str, rules: FakeRules, projection: FakeProjection
) -> AsyncIterator[Callable[..., Any]]:
    """Start a replica on this test's database; settings by keyword."""
    async with AsyncExitStack() as stack:

        async def start(**options: Any) -> Server:
            base = {"database_url": database_url, "nats_url": nats_url, "rate_factor": 0.0}
            return await stack.enter_async_context(serving(RoomSettings(**(base | options))))

        yield start


@pytest.fixture
async def server(replica: Callable[..., Any]) -> Server:
    """One replica with default settings and no rate limits."""
    found: Server = await replica()
    return found


@pytest.fixture
def room_process(database_url: str, nats_url: str, tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Make room as a process of its own on this test's database, as an operator runs it or as one that dies."""
    made: list[Process] = []

    def make(kind: type[Process] = Process) -> Process:
        made.append(kind(database_url, nats_url, tmp_path))
        return made[-1]

    yield make
    for process in made:
        process.kill()


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Breaks the connection at the next commit that writes, after (True) or before (False) PostgreSQL made it."""
    commit, cuts = psycopg.AsyncConnection.commit, list[bool]()

    async def cutting(connection: psycopg.AsyncConnection[Any]) -> None:
        row = await (await connection.execute("SELECT pg_current_xact_id_if_assigned()")).fetchone()
        if row == (None,) or not cuts:  # it only read
            await commit(connection)
            return
        await (commit(connection) if cuts.pop() else connection.rollback())
        raise psycopg.OperationalError("the connection broke")

    monkeypatch.setattr(psycopg.AsyncConnection, "commit", cutting)
    yield cuts
    assert not cuts
