"""What a run is told to do, and what each of its checks works with."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from services.verifier.findings import Finding
from services.verifier.promises import Promises
from services.verifier.replies import judge
from services.verifier.room import Room, plain_client

__all__ = ["CannotRunError", "Image", "Plan", "Run"]

AT_ONCE = 2
"""Games that are played beside each other: one alone waits for the wire more than it works."""
MOST_ALIKE = 10
"""Findings of one check that miss the same expectation: what is wrong everywhere need not be said a thousand times."""


class CannotRunError(RuntimeError):
    """A check cannot look at what it is for; the text says why."""


@dataclass(frozen=True)
class Image:
    """What the image that runs the verifier says of itself: its API document, its static files by path (SHA-256)."""

    openapi: bytes
    static: dict[str, str]
    static_root: str


@dataclass(frozen=True)
class Plan:
    """The options of a run. `restart`: a command with `{service}` in it; `database_url` gives the true history."""

    url: str
    cases: Path
    image: Image | None = None
    database_url: str = ""
    quick: bool = False
    seed: int = 1
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    scenarios: bool = True
    restart: str = ""
    services: tuple[str, ...] = ()
    seconds: float = 900.0
    promises: Promises = field(default_factory=Promises)


class Run:
    """One check at work: it counts what it looks at, says what it finds, and minds the time."""

    def __init__(self, plan: Plan, until: float, tell: Callable[[int, int, str], None]) -> None:
        self.plan = plan
        self.findings: list[Finding] = []
        self.looked: Counter[str] = Counter()
        self.outage = False
        """While services are being restarted a 502 or 503 is no finding."""
        self._until = until
        self._tell = tell
        self._lock = threading.Lock()
        self._clients: list[httpx.Client] = []

    # ------------------------------------------------------------------ what it says

    def found(self, what: str, where: str, expected: str) -> None:
        """Something is wrong. The same is said once, and of its like no more than a few."""
        finding = Finding(what, where, expected)
        with self._lock:
            alike = [one for one in self.findings if one.expected == expected]
            if len(alike) < MOST_ALIKE and finding not in alike:
                self.findings.append(finding)

    def expect(self, holds: object, what: str, where: str, expected: str) -> bool:
        """Count one look; it is a finding unless it holds."""
        self.count("looks")
        if not holds:
            self.found(what, where, expected)
        return bool(holds)

    def count(self, what: str, times: int = 1) -> None:
        """So much was looked at."""
        with self._lock:
            self.looked[what] += times

    def step(self, done: int, total: int, text: str = "") -> None:
        """Progress, for whoever watches."""
        self.tick()
        self._tell(done, total, text)

    def tick(self) -> None:
        """Raises CannotRunError when the run's time is used up."""
        if time.monotonic() > self._until:
            raise CannotRunError(f"the run's time ({self.plan.seconds:g} s) was used up; see --timeout")

    def at_once(self, many: Sequence[tuple[str, Callable[[], None]]]) -> None:
        """Do what is named, AT_ONCE of it beside each other. What one raises ends all of it, as soon as others end."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            doing = {pool.submit(do): name for name, do in many}
            self.step(0, len(many), many[0][0] if many else "")
            try:
                for number, done in enumerate(as_completed(doing), 1):
                    done.result()
                    self.step(number, len(many), doing[done])
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    # ------------------------------------------------------------------ what it works with

    def chance(self, word: str) -> random.Random:
        """The chance of one part of a check: the same seed plays the same."""
        return random.Random(f"{self.plan.seed}:{word}")

    def client(self, seconds: float = 30.0, patient: bool = True) -> httpx.Client:
        """A client without cookies, whose every reply is judged; closed when the check is over."""
        made = plain_client(self.plan.url, seconds, patient)
        made.event_hooks["response"].append(self.heard)
        self._clients.append(made)
        return made

    def room(self, **settings: object) -> Room:
        """A new room whose every reply is judged, and whose promises are kept."""
        return Room(self.plan.url, client=self.client(), promises=self.plan.promises, **settings)

    def close(self) -> None:
        """Close every connection."""
        for client in self._clients:
            client.close()

    def heard(self, reply: httpx.Response) -> None:
        """Judge a reply by itself."""
        self.count("replies")
        if reply.headers.get("content-type", "").startswith(("text/event-stream", "application/x-ndjson")):
            return
        reply.read()
        if self.outage and reply.status_code in (502, 503, 504):
            return
        for what, expected in judge(reply):
            self.found(what, f"{reply.request.method} {reply.request.url.raw_path.decode()}", expected)
