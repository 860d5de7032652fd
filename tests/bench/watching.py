"""What a load does to a deployment, looked at every ten seconds: rates, latencies, memory and processor time."""

from __future__ import annotations

import os
import time
from pathlib import Path

from rich.console import Console

from services.embedded import Deployment
from tests.bench.deployed import cpu_seconds, processes
from tests.bench.growth import Growth, growth
from tests.bench.model import quantile
from tests.bench.players import Counts

__all__ = ["EVERY", "FLAT_SHARE", "LONG_ENOUGH", "Watcher"]

EVERY = 10.0
FLAT_SHARE = 0.01
"""Memory is flat when it is certain to grow by less than this share of itself a minute, once rooms come and go."""
FLAT_KIB = 512.0
"""Growth below so many KiB a minute is none."""
LONG_ENOUGH = 480.0
"""A run shorter than this says nothing about memory: caches are still filling."""
CLIENT = "client"
"""This process: it keeps figures, so that it grows, and is none of the product's."""


def anonymous_kib(pid: int) -> float:
    """What a process holds for itself: resident memory that is no file and not shared (so no buffers of PostgreSQL)."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    words = text.partition("RssAnon:")[2].split()
    return (
        float(words[0]) if words else 0.0
    )  # it has ended, and nobody has taken notice yet: it has no memory


class Watcher:
    """Prints a line each time it looks, and remembers all of them."""

    def __init__(self, sietch: Deployment, counts: Counts, console: Console, rooms: int) -> None:
        self._sietch = sietch
        self._rooms = rooms
        self._steady: float | None = None
        self._counts = counts
        self._console = console
        self._began = self._last = time.monotonic()
        self._accepted = 0
        self._cpu: dict[str, float] = {}
        self._replies: list[float] = []
        self._shown: list[float] = []
        self.course: list[dict[str, object]] = []
        self._memory: dict[str, list[tuple[float, float]]] = {}
        self._spent()

    def look(self) -> None:
        """One line."""
        now = time.monotonic()
        seconds, self._last = now - self._last, now
        done, self._accepted = self._counts.accepted - self._accepted, self._counts.accepted
        replies, self._counts.replies = self._counts.replies, []
        shown, self._counts.shown = self._counts.shown, []
        self._replies += replies
        self._shown += shown
        if self._steady is None and self._counts.ended >= self._rooms:
            self._steady = (now - self._began) / 60
        memory = {name: sum(map(anonymous_kib, pids)) / 1024 for name, pids in self._parts().items()}
        for name, mib in memory.items():
            self._memory.setdefault(name, []).append(((now - self._began) / 60, mib * 1024))
        cpu = {name: spent / seconds * 100 for name, spent in self._spent().items()}
        line = {
            "at": round(now - self._began, 1),
            "rate": round(done / seconds, 1),
            "reply_ms": _ms(replies),
            "shown_ms": _ms(shown),
            "other": dict(self._counts.statuses),
            "memory_mib": {name: round(mib, 1) for name, mib in memory.items()},
            "cpu_percent": {name: round(percent) for name, percent in cpu.items()},
        }
        self.course.append(line)
        parts = "  ".join(f"{name} {mib:.0f} MiB {cpu[name]:.0f}%" for name, mib in memory.items())
        other = " ".join(f"{name}:{n}" for name, n in self._counts.statuses.items()) or "no errors"
        self._console.print(
            f"{now - self._began:5.0f} s  {done / seconds:6.1f}/s  reply {_told(replies)}  shown {_told(shown)}  "
            f"{other}  {parts}",
            highlight=False,
            soft_wrap=True,
        )

    def summary(self) -> dict[str, object]:
        """The whole run in a few numbers."""
        seconds = max(1e-9, self._last - self._began)
        return {
            "rate": round(self._accepted / seconds, 1),
            "reply_ms": _ms(self._replies),
            "shown_ms": _ms(self._shown),
            "steady_after_minutes": None if self._steady is None else round(self._steady, 1),
            "memory_kib_a_minute": {name: _span(self.growth(name)) for name in self._memory},
        }

    def growth(self, name: str) -> Growth | None:
        """KiB a minute by which a part grew once the run was steady: each table had ended a game, on the average.

        Of its mean, or of what it never gives back, whichever is surer: whatever leaks raises both.
        """
        if self._steady is None:
            return None
        points = [at for at in self._memory[name] if at[0] >= self._steady]
        found = [one for one in (growth(points), growth(points, min)) if one is not None]
        return min(found, key=lambda one: one.most, default=None)

    def growing(self, seconds: float) -> list[str]:
        """The parts whose memory is not flat; a short run is not judged."""
        if seconds < LONG_ENOUGH:
            self._console.print(f"memory is not judged: the run is shorter than {LONG_ENOUGH:g} s")
            return []
        if any(self.growth(name) is None for name in self._memory):
            return [
                "memory cannot be judged: the run was steady for too short; let it be longer, or TURNS fewer"
            ]
        return [
            f"{name} grew by {_span(grown)} KiB a minute (flat: certainly below {most:.0f})"
            for name, grown, most in self._judged()
            if grown.most > most
        ]

    def undecided(self) -> list[str]:
        """The parts of which nobody can say yet whether they grow: garbage comes and goes faster than they would."""
        return [name for name, grown, most in self._judged() if grown.open(most)]

    def _judged(self) -> list[tuple[str, Growth, float]]:
        """The product's parts that were steady for long enough: by how much each grew, and by how much it may."""
        found = []
        for name, points in self._memory.items():
            grown = self.growth(name)
            if grown is not None and name != CLIENT:
                found.append((name, grown, max(FLAT_KIB, FLAT_SHARE * points[-1][1])))
        return found

    def _parts(self) -> dict[str, list[int]]:
        return {**processes(self._sietch), CLIENT: [os.getpid()]}

    def _spent(self) -> dict[str, float]:
        """Processor seconds of each part since the last time, and of this client."""
        now = {name: cpu_seconds(pids) for name, pids in self._parts().items()}
        before, self._cpu = self._cpu, now
        return {name: max(0.0, seconds - before.get(name, 0.0)) for name, seconds in now.items()}


def _span(grown: Growth | None) -> str:
    return "not known" if grown is None else f"{grown.slope:.0f} ({grown.least:.0f} to {grown.most:.0f})"


def _ms(samples: list[float]) -> dict[str, float]:
    if not samples:
        return {}
    return {name: round(quantile(samples, share) * 1000, 2) for name, share in (("p50", 0.5), ("p99", 0.99))}


def _told(samples: list[float]) -> str:
    told = _ms(samples)
    return f"p50 {told['p50']:.0f} p99 {told['p99']:.0f} ms" if told else "-"
