"""Health: is this process alive, and should it be given work? And the small HTTP port that says so.

`/livez` fails only when the process is beyond help; `/readyz` fails while starting, while draining and while a
named check fails (its text says what to look at); `/metrics` is for Prometheus. The room service answers the first
two at its own door as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import orjson

from shared.ops import scrape
from shared.ops.logging import named

Check = Callable[[], Awaitable[str | None]]
# The ASGI border: its messages are plain dictionaries by specification.
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

CHECK_SECONDS = 2.0


class Health:
    """Named readiness checks; each returns None when well, or one line that says what is wrong."""

    def __init__(self) -> None:
        self.up = asyncio.Event()
        self.draining = False
        self._checks: dict[str, Check] = {}

    @property
    def started(self) -> bool:
        """Whether the process has finished starting: its `serve` says so, once."""
        return self.up.is_set()

    @started.setter
    def started(self, yes: bool) -> None:
        (self.up.set if yes else self.up.clear)()

    def add(self, name: str, check: Check) -> None:
        """Add or replace a check. It must be quick; after two seconds it counts as failed."""
        self._checks[name] = check

    async def problems(self) -> dict[str, str]:
        """What keeps this process from being ready, by name; empty when ready."""
        if self.draining:
            return {"draining": "the process is finishing its work and will end"}
        if not self.started:
            return {"starting": "the process has not finished starting"}
        names = list(self._checks)
        results = await asyncio.gather(*(self._run(self._checks[name]) for name in names))
        return {name: text for name, text in zip(names, results, strict=True) if text}

    async def _run(self, check: Check) -> str | None:
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                return await check()
        except TimeoutError:
            return f"no answer within {CHECK_SECONDS:g} s"
        except Exception as error:  # noqa: BLE001 - whatever a check raises is the reason for not being ready
            return named(error)


def ops_app(health: Health) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    """An ASGI application with `/livez`, `/readyz` and `/metrics`; anything else is 404."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        status, kind, body = await answer(health, str(scope["path"]))
        headers = [
            (b"content-type", kind.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app


async def answer(health: Health, path: str) -> tuple[int, str, bytes]:
    """Status, content type and body for one of the three paths (404 for others)."""
    if path == "/livez":
        return 200, "application/json", b'{"status":"live"}'
    if path == "/readyz":
        problems = await health.problems()
        body = {"status": "not ready", "problems": problems} if problems else {"status": "ready"}
        return (503 if problems else 200), "application/json", orjson.dumps(body)
    if path == "/metrics":
        return 200, scrape.CONTENT_TYPE, await scrape.render()
    return (
        404,
        "application/json",
        b'{"code":"not_found","text":"only /livez, /readyz and /metrics are here"}',
    )
