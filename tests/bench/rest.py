"""What rooms cost that nobody plays in: the memory of a hot one, and the processor time of a thousand idle ones."""

from __future__ import annotations

import asyncio
import time

from services.embedded import Deployment
from tests.bench.bench import Bench, in_thread, resident_kib
from tests.bench.client import request_bytes
from tests.bench.deployed import cpu_seconds, processes
from tests.bench.games import Played, recorded
from tests.bench.model import Measure, Row, at_most
from tests.bench.standing import Standing, place
from tests.bench.wire import Caller

__all__ = ["ROWS"]

SETTLE_SECONDS = 22.0
"""Until what the taking up of rooms left behind is over: room's interest in a view lasts 20 s."""


def starts(count: int) -> list[tuple[int, Played]]:
    """Games for so many rooms, spread over one long game."""
    course = recorded(900)
    return [(at + 1, course[at]) for at in (number * len(course) // count for number in range(count))]


async def heat(url: str, rooms: list[Standing]) -> None:
    """Make every room hot in both services: projection shows a view, rules checks an answer (that it refuses)."""
    queue = list(rooms)

    async def some() -> None:
        caller = Caller(url)
        while queue:
            room = queue.pop()
            seat, token = next(iter(room.tokens.items()))
            await caller.call("GET", f"{room.path}/view", None, token)
            body = b'{"offer":"none","answer":{}}'
            status, text = await caller.send(request_bytes("POST", f"{room.path}/check", body, token))
            assert status == 409, f"{seat}: {status} {text.decode()}"
        caller.close()

    await asyncio.gather(*(some() for _ in range(4)))


def memory_of(sietch: Deployment) -> dict[str, float]:
    """Resident KiB of rules and of projection."""
    parts = processes(sietch)
    return {name: sum(map(resident_kib, parts[name])) for name in ("rules", "projection")}


async def memory(bench: Bench) -> list[Measure]:
    """How much rules and projection grow when rooms become hot, by the room."""
    count = bench.number(600, 100)
    bench.tell("playing a game")
    games = starts(count + 50)
    async with in_thread(bench.deployment()) as sietch:
        rooms = place(sietch.database_url, games)
        bench.tell("the first fifty rooms, for what grows only once")
        await heat(sietch.url, rooms[:50])
        before = memory_of(sietch)
        bench.tell(f"{count} rooms more")
        await heat(sietch.url, rooms[50:])
        after = memory_of(sietch)
    each = {name: (after[name] - before[name]) / count for name in before}
    parts = ", ".join(f"{name} {kib:.0f}" for name, kib in each.items())
    return [
        Measure(
            "resident memory of a hot room",
            "KiB",
            sum(each.values()),
            None,
            at_most(200, "value"),
            count,
            parts,
        )
    ]


async def idle(bench: Bench) -> list[Measure]:
    """Processor time of the whole deployment at rest: without a room, and with a thousand, all hot before."""
    count = bench.number(1_000, 100)
    seconds = float(bench.number(40, 10))
    bench.tell("playing a game")
    games = starts(count)
    async with in_thread(bench.deployment()) as sietch:
        await asyncio.sleep(3)
        bare = await share_of_core(bench, sietch, seconds, "without a room")
        rooms = place(sietch.database_url, games)
        bench.tell(f"taking up {count} rooms")
        await heat(sietch.url, rooms)
        bench.tell("until all is quiet")
        await asyncio.sleep(SETTLE_SECONDS)
        full = await share_of_core(bench, sietch, seconds, f"with {count} idle rooms")
    parts = ", ".join(f"{name} {full[name]:.2f}" for name in full if full[name] >= 0.005)
    total, empty = sum(full.values()), sum(bare.values())
    return [
        Measure(
            "added by 1,000 idle rooms", "%", max(0.0, total - empty) * 1000 / count, None, at_most(0.5, "value"),
            int(seconds), "of one core; all services and servers", drift=2.0,
        ),
        Measure("all processes at rest", "%", total, empty, None, int(seconds), parts, drift=0.5),
    ]  # fmt: skip


async def share_of_core(bench: Bench, sietch: Deployment, seconds: float, what: str) -> dict[str, float]:
    """Percent of one core that each part of the deployment uses meanwhile."""
    bench.tell(f"at rest {what}, {seconds:g} s")
    before = {name: cpu_seconds(pids) for name, pids in processes(sietch).items()}
    started = time.perf_counter()
    await asyncio.sleep(seconds)
    spent = time.perf_counter() - started
    after = {name: cpu_seconds(pids) for name, pids in processes(sietch).items()}
    return {name: (after[name] - before[name]) / spent * 100 for name in before}


ROWS = (
    Row("memory", "memory of a hot room, rules and projection", memory),
    Row("idle", "processor time of 1,000 idle rooms", idle),
)
