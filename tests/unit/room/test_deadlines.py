"""When clocks are looked at, and how long an order waits: nothing of it tells an order from a person. [WINPOL-07]"""

from __future__ import annotations

import asyncio
import time
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec import Raw

from services.room.commits import ORDER_CLOCK, commit_of
from services.room.deadlines import EVERY_SECONDS, Deadlines
from services.room.store.store import Head
from shared.wire.messages import Decided, OpenOffer
from tests.waiting import on_time, until


class Shelf:
    """A store with deadlines of nobody's game; notes when each was found."""

    def __init__(self, *after: float) -> None:
        self.began = time.monotonic()
        self.due = sorted(after)
        self.found: list[float] = []
        self.looks = 0

    @property
    def now(self) -> float:
        return time.monotonic() - self.began

    async def write(self, statement: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
        if statement.lstrip().startswith("UPDATE"):
            self.looks += 1
            due = [moment for moment in self.due if moment <= self.now]
            self.found += [self.now - moment for moment in due]
            self.due = self.due[len(due) :]
            return [(UUID(int=0), "guild", "guild-1", 1)] * len(due)
        return [(self.due[0] - self.now,)] if self.due else []

    async def head(self, *_: object) -> None:
        return None


async def test_a_deadline_is_found_when_it_is_due_and_not_at_the_next_beat() -> None:
    async def found() -> None:
        shelf: Any = Shelf(0.57, 0.64, 0.93)
        desk: Any = None
        running = asyncio.create_task(Deadlines(shelf, desk).run())
        try:
            await until(lambda: not shelf.due, "the last of them")
        finally:
            running.cancel()
        assert max(shelf.found) < EVERY_SECONDS / 2
        assert shelf.looks < 20

    await on_time(found, EVERY_SECONDS / 4)


@pytest.mark.parametrize(
    ("clock", "low", "high"),
    [({}, 1, 4), ({"turn": 600}, 1, 4), ({"turn": 2}, 1, 2), ({"a": 1, "b": 9}, 1, 1)],
)
def test_an_order_never_waits_longer_than_a_person_could(
    clock: dict[str, float], low: float, high: float
) -> None:
    head = Head(UUID(int=1), "K7M2QX", "running", False, 1, b"", (), b"", clock, 0, (), None, None, b"")
    offers = [OpenOffer("guild", f"guild-{n}", "window", ORDER_CLOCK) for n in range(200)]
    reply = Decided("worker", 2, [], Raw(msgspec.json.encode({})), offers)
    commit = commit_of(head, "guild", UUID(int=2), reply, {}, pause=(1.0, 4.0))
    waits = [row.seconds for row in commit.open if row.seconds is not None]
    assert len(waits) == len(offers)
    assert low <= min(waits) <= max(waits) <= high
    assert high == low or max(waits) - min(waits) > (high - low) / 2
    assert commit.clocked
