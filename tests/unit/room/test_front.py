"""The short way of an action through the front door does all that the long one does."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from services.room.decide import Accepted
from services.room.errors import ApiError, no_token
from services.room.http.app import make_app
from services.room.http.front import SECURITY_HEADERS, Front
from services.room.store.store import StoreDown
from shared.ops import metrics
from shared.ops.health import Health

PATH = "/api/rooms/K7M2QX/actions"
BODY = {"command_id": "00000000-0000-0000-0000-000000000007", "offer": "guild-1", "answer": {}}


class Context:
    """What the route works with; `fault` is what it meets on its way."""

    def __init__(self, fault: Exception | None) -> None:
        self.fault = fault
        self.desk = self
        self.head = self.token = None

    def ask(self, *_: object) -> None:
        return None

    async def find(self, *_: object) -> Context:
        if self.fault is not None:
            raise self.fault
        return self

    def playing(self) -> str:
        return "guild"

    async def decide(self, *_: object, **__: object) -> Accepted:
        return Accepted(b'{"ok":true}', 2, False)


def counted(status: int) -> float:
    labels = {"route": "/api/rooms/{code}/actions", "method": "POST", "status": str(status)}
    return metrics.REGISTRY.get_sample_value("sietch_room_http_seconds_count", labels) or 0.0


async def send(app: Any, content: dict[str, Any] | bytes, **headers: str) -> httpx.Response:
    """One action through the front."""
    body: dict[str, Any] = {"content": content} if isinstance(content, bytes) else {"json": content}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(Front(app)), base_url="http://here") as client:
        return await client.post(PATH, headers=headers, **body)


@pytest.mark.parametrize(
    ("fault", "content", "headers", "status"),
    [
        (None, BODY, {}, 200),
        (None, BODY, {"origin": "http://here"}, 200),
        (None, BODY, {"origin": "https://evil.example"}, 403),
        (None, BODY, {"sec-fetch-site": "cross-site"}, 403),
        (None, b"{", {"content-type": "application/json"}, 400),
        (None, b"{}", {"content-type": "text/plain"}, 400),
        (None, b" " * 20_000, {"content-type": "application/json"}, 413),
        (no_token(), BODY, {}, 401),
        (ApiError(429, "too_many", "wait", retry_after=2), BODY, {}, 429),
        (StoreDown("gone"), BODY, {}, 503),
        (RuntimeError("the traitor is feyd_rautha"), BODY, {}, 500),
    ],
)
async def test_both_ways_answer_alike(
    fault: Exception | None, content: dict[str, Any] | bytes, headers: dict[str, str], status: int
) -> None:
    app = make_app(Health())
    app.state.context = Context(fault)

    async def long_way(*scope: Any) -> None:
        await FastAPI.__call__(app, *scope)

    before = counted(status)
    short, long = await send(app, content, **headers), await send(long_way, content, **headers)
    assert short.status_code == long.status_code == status
    assert short.content == long.content
    assert sorted(short.headers.items()) == sorted(long.headers.items())
    assert {name.decode() for name, _ in SECURITY_HEADERS} <= set(short.headers)
    assert short.headers["cache-control"] == "no-store"
    assert "feyd" not in short.text
    if status != 403:  # refused before it has a route
        assert counted(status) == before + 2
