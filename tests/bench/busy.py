"""Two hundred busy rooms: actions a second, each shown on every stream that has to show it, all on two cores.

Every room plays a written game from somewhere in its middle, one action after another without a pause; the next one is
sent when the answer and all the views of the last one have arrived. The floor plays the same over the same hops.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from statistics import median
from uuid import uuid4

import msgspec

from tests.bench import hops
from tests.bench.bench import Bench, in_thread
from tests.bench.client import request_bytes
from tests.bench.deployed import floor_beside, processes
from tests.bench.games import Played
from tests.bench.model import Measure, Row, at_least, quantile
from tests.bench.script import Step, played
from tests.bench.seated import Seated
from tests.bench.standing import place
from tests.property.players import CLASSIC

__all__ = ["ROWS"]

ROOMS = 200
GAMES = 8
TAIL = 250
"""Steps that a room has before it: more than it can play here."""


class Part(msgspec.Struct):
    """One room's share of a written game, and how far it is."""

    version: int
    start: Played
    steps: list[Step]
    done: int = 0


def parts(rooms: int, tell: Callable[[str], None]) -> list[Part]:
    """For each room a stretch of one of the games, evenly spread from their beginnings to near their ends."""
    made: list[Part] = []
    for seed in range(GAMES):
        tell(f"writing game {seed + 1} of {GAMES}")
        course = list(played(seed + 1))
        mine = range(seed, rooms, GAMES)
        for place_, _ in enumerate(mine):
            at = (len(course) - TAIL) * place_ // len(mine)
            steps = [step for step, _ in course[at : at + TAIL]]
            game = course[at][1]
            saved = msgspec.json.encode(game.checkpoint(), order="sorted")
            made.append(Part(at + 1, Played(game, [], saved), steps))
    return made


class Fleet:
    """Rooms that all play at once, of the product or of the floor."""

    def __init__(self, rooms: list[Seated], requests: list[Callable[[], tuple[bytes, list[str]]]]) -> None:
        self.rooms = rooms
        self._next = requests
        self.replies: list[float] = []
        self.shown: list[float] = []

    async def open(self) -> None:
        """Open all streams, a few rooms at a time."""
        gate = asyncio.Semaphore(8)

        async def one(room: Seated) -> None:
            async with gate:
                await room.open()

        await asyncio.gather(*(one(room) for room in self.rooms))

    async def play(self, seconds: float) -> float:
        """Play for so long; actions a second, each answered and shown."""
        until, before, started = time.perf_counter() + seconds, len(self.shown), time.perf_counter()

        async def one(room: Seated, step: Callable[[], tuple[bytes, list[str]]]) -> None:
            while time.perf_counter() < until:
                request, shown = step()
                status, body, replied, delivered = await room.act(request, shown)
                if status != 200:
                    raise RuntimeError(f"{status} {body.decode()}")
                self.replies.append(replied)
                self.shown.append(delivered)

        await asyncio.gather(*map(one, self.rooms, self._next))
        return (len(self.shown) - before) / (time.perf_counter() - started)

    def close(self) -> None:
        """Close all connections."""
        for room in self.rooms:
            room.close()


def body_of(step: Step) -> bytes:
    """The body of an action that plays a step."""
    return msgspec.json.encode({"command_id": uuid4(), "offer": step.offer, "answer": step.answer})


def product(url: str, database: str, stretches: list[Part]) -> Fleet:
    """Rooms of the deployment, put into its store where their stretches begin."""
    standing = place(database, [(part.version, part.start) for part in stretches])
    rooms = [Seated(url, one.path, one.tokens, lambda _, one=one: f"{one.path}/stream") for one in standing]

    def stepping(part: Part, room: Seated) -> Callable[[], tuple[bytes, list[str]]]:
        def step() -> tuple[bytes, list[str]]:
            if part.done == len(part.steps):
                raise RuntimeError("a room has played all that was written for it")
            now = part.steps[part.done]
            part.done += 1
            token = room.seats[now.seat].token
            return request_bytes("POST", f"{room.path}/actions", body_of(now), token), now.shown

        return step

    return Fleet(rooms, list(map(stepping, stretches, rooms)))


def skeleton(url: str, stretches: list[Part], script: list[Step]) -> Fleet:
    """As many rooms of the floor; each begins elsewhere in the script."""
    tokens = dict.fromkeys(CLASSIC, "token")
    rooms = [
        Seated(url, f"/rooms/{number}", tokens, lambda seat, number=number: f"/rooms/{number}/stream/{seat}")
        for number in range(len(stretches))
    ]

    def counting(number: int) -> Iterator[int]:
        at = number * len(script) // len(stretches)
        while True:
            yield at % len(script)
            at += 1

    def stepping(number: int, room: Seated) -> Callable[[], tuple[bytes, list[str]]]:
        numbers = counting(number)

        def step() -> tuple[bytes, list[str]]:
            at = next(numbers)
            path = f"{room.path}/actions/{at}"
            return request_bytes("POST", path, body_of(script[at]), "token"), script[at].shown

        return step

    return Fleet(rooms, list(map(stepping, range(len(rooms)), rooms)))


async def busy(bench: Bench) -> list[Measure]:
    """All rooms of the floor, then all of the product, in turn."""
    if len(os.sched_getaffinity(0)) > 2:
        os.sched_setaffinity(
            0, sorted(os.sched_getaffinity(0))[:2]
        )  # inherited by everything that is started
    count = bench.number(ROOMS, 16)
    stretches = parts(count, bench.tell)
    script = [part.steps[0] for part in stretches]
    async with (
        in_thread(bench.deployment()) as sietch,
        in_thread(floor_beside(sietch, script, hops.__name__, hops.HOPS)) as floor_url,
    ):
        real = product(sietch.url, sietch.database_url, stretches)
        bare = skeleton(floor_url, stretches, script)
        try:
            for name, fleet in (("floor", bare), ("product", real)):
                bench.tell(f"opening {count * len(CLASSIC):,} streams of the {name}")
                await fleet.open()
                bench.tell(f"warming up the {name}")
                await fleet.play(bench.number(4, 2))
                fleet.replies.clear()
                fleet.shown.clear()
            seconds = float(bench.number(8, 3))
            rates = await bench.alternating(
                {"floor": lambda: bare.play(seconds), "product": lambda: real.play(seconds)},
                bench.number(4, 2),
            )
            gaps = [gap for room in real.rooms for gap in (*room.gaps, *room.ends)]
            assert not gaps, f"streams with gaps or ends: {gaps[:5]}"
            assert len(processes(sietch)["room"]) == 1
        finally:
            real.close()
            bare.close()
    return figures(rates, real, bare, count)


def figures(rates: dict[str, list[float]], real: Fleet, bare: Fleet, count: int) -> list[Measure]:
    """The rate with its goal, and how long an action takes when everybody acts at once."""
    note = f"{count} rooms, {count * len(CLASSIC):,} streams; one replica of each service"
    samples = len(real.shown)
    measures = [
        Measure(
            "actions, all views delivered", "/s", median(rates["product"]), median(rates["floor"]),
            at_least(400), samples, note,
        )
    ]  # fmt: skip
    for name, product_, floor in (
        ("reply", real.replies, bare.replies),
        ("shown to all", real.shown, bare.shown),
    ):
        for label, share in (("p50", 0.5), ("p99", 0.99)):
            measures.append(
                Measure(
                    f"{name} {label}, saturated", "ms", quantile(product_, share) * 1000,
                    quantile(floor, share) * 1000, None, samples, drift=0.5,
                )
            )  # fmt: skip
    return measures


ROWS = (Row("busy", "200 busy rooms, everything and the load client on 2 cores", busy),)
