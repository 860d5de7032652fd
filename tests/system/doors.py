"""Clients that misbehave: at both replicas of the front door at once, and what must be true of every refusal."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Self

import httpx
import psycopg

from services.embedded import Deployment
from services.verifier.replies import CLEAR, INTERNALS
from services.verifier.store.census import verify_store

# Everything that a request can change. Left out is what goes on by itself: what was published, and when.
_STORE = {
    "rooms": "id, code, name, state, settings, ruleset, lobby, version, hash, open, finished, result",
    "seats": "*",
    "tokens": "id, room, seat, scope, hash, revoked_at",
    "commits": "room, version, command_id, seat, outcome, hash, asked",
    "deadlines": "room, seat, offer, opened",
}


def stored(sietch: Deployment) -> dict[str, tuple[int, str]]:
    """Rows and checksum of every table that a request can change."""
    with psycopg.connect(sietch.database_url) as connection:
        found = {}
        for table, columns in _STORE.items():
            rows = f"(SELECT {columns} FROM {table}) r"
            query = f"SELECT count(*), md5(string_agg(r::text, '|' ORDER BY r::text)) FROM {rows}"
            row = connection.execute(query).fetchone()  # type: ignore[arg-type]  # the names are those above
            assert row is not None
            found[table] = (int(row[0]), str(row[1]))
    return found


def commands(sietch: Deployment, code: str) -> list[str]:
    """The command ids of a room's commits, in order."""
    query = (
        "SELECT command_id::text FROM commits JOIN rooms ON rooms.id = room "
        "WHERE code = %s ORDER BY commits.version"
    )
    with psycopg.connect(sietch.database_url) as connection:
        return [row[0] for row in connection.execute(query, (code,))]


def whole(sietch: Deployment) -> None:
    """The store holds nothing that should not be there."""
    assert verify_store(sietch.database_url).faults == []


def refused(reply: httpx.Response, *statuses: int) -> str:
    """The code of a refusal: with one of these statuses, in the one shape, and without a word about our insides."""
    assert reply.status_code in (statuses or CLEAR), (reply.status_code, reply.text[:300])
    error = reply.json()
    assert set(error) == {"code", "text", "rule", "args"}, reply.text
    assert error["code"] and error["text"], reply.text
    assert not INTERNALS.search(reply.text), reply.text
    assert not INTERNALS.search(str(dict(reply.headers))), reply.headers
    if reply.status_code == 429:
        assert int(reply.headers["retry-after"]) >= 1
    return str(error["code"])


CONNECTIONS = 64
"""At each replica at once."""


class Doors:
    """A client for each replica of the front door."""

    def __init__(self, sietch: Deployment) -> None:
        limits = httpx.Limits(max_connections=CONNECTIONS)
        # Who waits for a connection waits here: httpx looks at all who wait, whenever one is done.
        self._places = [asyncio.Semaphore(CONNECTIONS) for _ in sietch.replica_urls("room")]
        self._clients = [
            httpx.AsyncClient(base_url=url, timeout=60, limits=limits) for url in sietch.replica_urls("room")
        ]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for client in self._clients:
            await client.aclose()

    def __len__(self) -> int:
        return len(self._clients)

    async def call(
        self, door: int, method: str, path: str, body: object = None, token: str = "", **headers: str
    ) -> httpx.Response:
        """One request at one replica, never repeated and without cookies; bytes go as they are, all else as JSON."""
        client = self._clients[door % len(self._clients)]
        if token:
            headers["authorization"] = f"Bearer {token}"
        content: dict[str, Any] = {}
        if isinstance(body, bytes):
            content = {"content": body}
            headers.setdefault("content-type", "application/json")
        elif body is not None:
            content = {"json": body}
        async with self._places[door % len(self._clients)]:
            client.cookies.clear()
            return await client.request(method, f"/api{path}", headers=headers, **content)

    async def opening(self, door: int, path: str, token: str = "", **headers: str) -> httpx.Response:
        """The head of a stream, and the whole of a refusal."""
        client = self._clients[door % len(self._clients)]
        if token:
            headers["authorization"] = f"Bearer {token}"
        async with client.stream("GET", f"/api{path}", headers=headers) as reply:
            if reply.status_code >= 400:
                await reply.aread()
            return reply

    async def raw(
        self, door: int, method: str, path: str, body: object, authorization: bytes
    ) -> httpx.Response:
        """One request with an Authorization header that need be no text."""
        client = self._clients[door % len(self._clients)]
        client.cookies.clear()
        headers = [(b"authorization", authorization)]
        return await client.request(method, f"/api{path}", headers=headers, json=body)
