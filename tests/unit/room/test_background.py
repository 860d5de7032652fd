"""What runs behind room's requests goes on whatever fails, and does not wait for who is slow."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from typing import Any, cast

import pytest

from services.room import channel, hub, service
from services.room.errors import ApiError, unavailable
from services.room.hub import Hub, Reader
from shared.wire import subjects
from shared.wire.messages import View, ViewChanged, Watching
from tests.waiting import until


def test_what_only_lobbies_need_is_not_loaded_at_the_start() -> None:
    """SQLAlchemy alone takes as long to load as all the rest of room: a game that waits for a replica need not."""
    names = "[name for name in sys.modules if name.startswith(('sqlalchemy', 'sqlmodel'))]"
    loaded = f"import sys, services.room.service; print({names})"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_a_part_that_fails_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "AGAIN_SECONDS", 0.0)
    begun = 0
    going = asyncio.Event()

    async def part() -> None:
        nonlocal begun
        begun += 1
        if begun < 3:
            raise ValueError("something that nobody thought of")
        going.set()
        await asyncio.sleep(600)

    task = asyncio.create_task(service.kept_running(part))
    await until(going.is_set, "the third beginning")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert begun == 3


class Ear:
    """A bus whose projection never answers; notes who is said to watch."""

    def __init__(self) -> None:
        self.on_reconnect: list[Any] = []
        self.asked = 0
        self.told: list[Watching] = []

    async def subscribe(self, subject: str, *_: Any, **__: Any) -> str:
        return subject

    async def publish(self, _: str, message: object) -> None:
        if isinstance(message, Watching):
            self.told.append(message)

    async def request(self, subject: str, *_: Any) -> View:
        assert subject == subjects.PROJECTION_VIEW
        self.asked += 1
        await asyncio.sleep(600)
        raise AssertionError("nobody waits for that long")


async def test_projection_is_told_who_watches_though_it_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hub, "BEAT_SECONDS", 0.0)
    bus: Any = Ear()
    made = Hub(bus, "replica", forget=lambda room: None)
    reader = Reader("0" * 32, None)
    await made.enter(reader)
    channel = await made.watch_audience(reader, "spectator")
    channel.add(ViewChanged(reader.room, "spectator", 1, [], {}))  # type: ignore[arg-type]
    made.watch_of(reader.room).compare_at = 1.0
    parts = [asyncio.create_task(part()) for part in (made.run, made.compare)]
    await until(lambda: bus.asked, "a question to projection")
    before = len(bus.told)
    await until(lambda: len(bus.told) > before, "another word of who watches")
    for part in parts:
        part.cancel()


async def test_a_view_that_nobody_waits_for_any_more_is_no_fault_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Readers leave while projection is away: what is left in the event loop is logged as an error, and alerts."""
    left: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: left.append(context))
    asked = asyncio.Event()

    async def away(*_: object) -> View:
        asked.set()
        await asyncio.sleep(0.01)
        raise unavailable("The view of this seat is not ready yet; try again.")

    monkeypatch.setattr(channel, "whole_view", away)
    made = channel.Channel(cast(Any, Ear()), "0" * 32, "spectator")
    reader = asyncio.create_task(made.whole())
    await asked.wait()
    reader.cancel()
    await asyncio.sleep(0.05)
    with pytest.raises(ApiError):
        await made.whole()
    del made, reader  # what it met keeps the frame that asked for the view
    gc.collect()
    assert left == []
