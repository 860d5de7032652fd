"""One action through the services, beside what cannot be left out of it.

    python -m tests.bench.action            at least 2,000 samples of each
    python -m tests.bench.action --quick    a few hundred, to see where it stands

Each round measures, one after another: an action of the product (HTTP request to committed answer, and to the view on
another seat's open stream), and of the floor a POST, a NATS request, an append of the same rows, the three in one
skeleton, and two one-way messages with a write to an open stream.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from uuid import uuid4

import msgspec
from msgspec import Raw

from services.embedded import Deployment
from tests.bench import bench as runner
from tests.bench.client import Follower, Line, post_and_watch, request_bytes, until_seen
from tests.bench.deployed import Table, begun, cpu_seconds, deployed, floor_beside, processes, timers
from tests.bench.model import Measure, Row, at_most, few, quantile
from tests.bench.script import Step, written
from tests.property.players import CLASSIC

PAUSE = 0.004
"""Seconds of rest after each measurement, so that what an action leaves to do does not disturb the next one."""
WARM = 150
"""Rounds before anything counts."""

Samples = dict[str, list[float]]


class Bench:
    """One run: a room of the product, the skeleton, and what was measured so far."""

    def __init__(self, sietch: Deployment, floor_url: str, streams: int) -> None:
        self.sietch = sietch
        self.line = Line(sietch.url)
        self.floor = Line(floor_url)
        self.heard = Follower(floor_url, "/stream")
        self.streams = streams
        self.samples: Samples = defaultdict(list)
        self.rounds = 0

    def play(self, seed: int, steps: list[Step], most: int) -> None:
        """Play a written game, at most `most` actions of it, and measure a round of the floor after each."""
        table = begun(self.line, CLASSIC, seed)
        followers = {
            seat: Follower(self.sietch.url, f"{table.path}/stream", table.tokens[seat])
            for seat in CLASSIC[: self.streams]
        }
        time.sleep(0.3)
        for step in steps[:most]:
            time.sleep(PAUSE)
            for follower in followers.values():
                follower.read()
            self._act(table, step, followers)
            time.sleep(PAUSE)
            self._floor(request_of(table, step))
            self.rounds += 1
            if self.rounds == WARM:
                self.samples.clear()
        for follower in followers.values():
            follower.close()

    def _act(self, table: Table, step: Step, followers: dict[str, Follower]) -> None:
        other = next((seat for seat in followers if seat != step.seat and seat in step.shown), None)
        watched = followers[other] if other else None
        status, answered, shown = post_and_watch(self.line, request_of(table, step), watched)
        if status != 200:
            raise RuntimeError(f"{step.offer}: {status}; the written game is not the one that is played")
        self.samples["action"].append(answered)
        if shown is not None:
            self.samples["shown"].append(shown)

    def _floor(self, action: bytes) -> None:
        body = action.partition(b"\r\n\r\n")[2]
        for what in ("post", "hop", "append", "skeleton", "tell"):
            request = request_bytes("POST", f"/{what}/{self.rounds}", body, "token")
            started = time.perf_counter()
            self.floor.send(request)
            status, answer = self.floor.reply()
            took = time.perf_counter() - started
            if status != 200:
                raise RuntimeError(f"the floor's {what}: {status}")
            if what == "tell":
                took = until_seen(self.heard, 1) - float(answer)
            elif what in ("hop", "append"):
                took = float(answer)
            self.samples[what].append(took)
            time.sleep(PAUSE / 4)


def request_of(table: Table, step: Step) -> bytes:
    """The request that plays a step."""
    body = msgspec.json.encode(
        {"command_id": uuid4(), "offer": step.offer, "answer": Raw(bytes(step.answer))}
    )
    return request_bytes("POST", f"{table.path}/actions", body, table.tokens[step.seat])


def report(bench: Bench, stages: dict[str, tuple[float, float]], cpu: dict[str, float], actions: int) -> str:
    """What was measured, as text."""
    rows = []
    for name in ("post", "hop", "append", "skeleton", "tell", "action", "shown"):
        took = bench.samples[name]
        if took:
            parts = (quantile(took, 0.5), quantile(took, 0.99), statistics.fmean(took))
            rows.append(f"{name:10}" + "".join(f"{part * 1000:9.2f}" for part in parts) + f"{len(took):8}")
    middle, worst = (
        sum(quantile(bench.samples[n], q) for n in ("post", "hop", "append")) for q in (0.5, 0.99)
    )
    tell = quantile(bench.samples["tell"], 0.5)
    action, shown = bench.samples["action"], bench.samples["shown"]
    lines = [
        f"{'ms':10}{'p50':>9}{'p99':>9}{'mean':>9}{'n':>8}",
        *rows,
        "",
        f"floor (post + hop + append): p50 {middle * 1000:.2f} ms, p99 {worst * 1000:.2f} ms",
        f"action / floor: p50 {quantile(action, 0.5) / middle:.2f} (goal 2.0), "
        f"p99 {quantile(action, 0.99) / worst:.2f} (goal 3)",
        f"action / skeleton: p50 {quantile(action, 0.5) / quantile(bench.samples['skeleton'], 0.5):.2f}",
    ]
    if shown:
        lines.append(f"shown / (floor + tell): p50 {quantile(shown, 0.5) / (middle + tell):.2f} (goal 2.5)")
    lines += ["", "stage (services' own timers)         ms/call   calls/action"]
    for name, (seconds, count) in sorted(stages.items()):
        if count:
            lines.append(f"{name:34}{seconds / count * 1000:10.3f}{count / actions:12.2f}")
    lines += ["", "CPU ms/action: " + ", ".join(f"{n} {s / actions * 1000:.2f}" for n, s in cpu.items())]
    return "\n".join(lines)


def run(
    samples: int, streams: int, seed: int, tell: Callable[[str], None] = lambda text: None
) -> tuple[Bench, str]:
    """Start everything, measure, stop everything. Returns the samples, and the report with the stages."""
    games: list[tuple[int, list[Step]]] = []
    while sum(len(steps) for _, steps in games) < samples + WARM:
        tell(f"writing game {len(games) + 1}")
        games.append((seed + len(games), written(seed + len(games))))
    with deployed() as sietch, floor_beside(sietch, games[0][1]) as floor_url:
        bench = Bench(sietch, floor_url, streams)
        parts = processes(sietch)
        before, spent = timers(sietch), {name: cpu_seconds(pids) for name, pids in parts.items()}
        for number, steps in games:
            tell(f"game {number}, {bench.rounds} of {samples} rounds")
            bench.play(number, steps, samples + WARM - bench.rounds)
        after = timers(sietch)
        parts = processes(sietch)
        cpu = {name: cpu_seconds(pids) - spent[name] for name, pids in parts.items()}
        zero = (0.0, 0.0)
        stages = {n: (s - before.get(n, zero)[0], c - before.get(n, zero)[1]) for n, (s, c) in after.items()}
        return bench, report(bench, stages, cpu, bench.rounds)


async def acting(bench: runner.Bench) -> list[Measure]:
    """The two rows of an action: to the committed answer, and to another seat's stream."""
    samples = bench.number(2100, 250)
    measured, _ = await asyncio.to_thread(run, samples, 1, 7, bench.tell)
    taken = measured.samples
    measures = []
    for label, share, goal in (("p50", 0.5, 2.0), ("p99", 0.99, 3.0)):
        floor = sum(quantile(taken[name], share) for name in ("post", "hop", "append")) * 1000
        note = "floor: POST + NATS request + append" + ("" if share == 0.5 else ", sum of p99s")
        measures.append(
            Measure(
                f"to the committed answer {label}", "ms", quantile(taken["action"], share) * 1000, floor, at_most(goal),
                len(taken["action"]), few(len(taken["action"]), note),
            )
        )  # fmt: skip
    middle = sum(quantile(taken[name], 0.5) for name in ("post", "hop", "append", "tell")) * 1000
    measures.append(
        Measure(
            "to another seat's stream p50", "ms", quantile(taken["shown"], 0.5) * 1000, middle, at_most(2.5),
            len(taken["shown"]), few(len(taken["shown"]), "floor: the above + two messages + a stream write"),
        )
    )  # fmt: skip
    return measures


ROWS = (Row("action", "one action, HTTP to committed, and to another seat's stream", acting),)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="300 samples instead of 2,000")
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--streams", type=int, default=1, help="seats with an open stream (0 to 6)")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    _, text = run(given.samples or (300 if given.quick else 2000), given.streams, given.seed)
    print(text)


if __name__ == "__main__":
    main()
