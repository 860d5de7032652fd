"""What a row is given to measure with: servers, deployments, interleaving, and a place to say how far it is."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from services.embedded import Deployment, EmbeddedNats, EmbeddedPostgres
from services.embedded.account import unprivileged
from services.embedded.home import Home
from services.room.migrate import migrate

__all__ = ["Bench"]

Sample = Callable[[], Awaitable[float | None]]
"""One sample: timed from outside, unless it returns the seconds itself."""


class Bench:
    """One run. Servers are durable, as users run them, and are started when the first row asks for them."""

    def __init__(self, quick: bool, tell: Callable[[str], None] = lambda text: None) -> None:
        self.quick = quick
        self.tell = tell
        self._exits = contextlib.ExitStack()
        self._postgres: EmbeddedPostgres | None = None
        self._nats: EmbeddedNats | None = None
        self._names = itertools.count(1)

    def close(self) -> None:
        """Stop every server and remove every folder of this run."""
        self._exits.close()

    def number(self, whole: int, quick: int) -> int:
        """How many: the whole run's number, or the quick one's."""
        return quick if self.quick else whole

    def folder(self) -> Path:
        """A new folder that the servers' account can enter, removed at the end."""
        path = Path(tempfile.mkdtemp(prefix="sietch-bench-"))
        path.chmod(0o755)
        self._exits.callback(shutil.rmtree, path, ignore_errors=True)
        return path

    def home(self) -> Home:
        """A new home for servers."""
        home = Home(self.folder(), unprivileged())
        self._exits.callback(home.release)
        return home

    # ------------------------------------------------------------------ servers

    def postgres(self) -> EmbeddedPostgres:
        """The run's PostgreSQL, with the durability that users get."""
        if self._postgres is None:
            self.tell("starting PostgreSQL")
            self._postgres = EmbeddedPostgres(self.home())
            self._postgres.start()
            self._exits.callback(self._postgres.stop)
        return self._postgres

    def nats_url(self) -> str:
        """The run's NATS."""
        if self._nats is None:
            self.tell("starting NATS")
            self._nats = EmbeddedNats(self.home())
            self._nats.start()
            self._exits.callback(self._nats.stop)
        return self._nats.url

    def database(self) -> str:
        """URL of a new database with the newest schema."""
        name = f"bench_{next(self._names)}"
        parts = urlsplit(self.postgres().url)
        with psycopg.connect(self.postgres().url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        url = urlunsplit((parts.scheme, parts.netloc, f"/{name}", parts.query, parts.fragment))
        migrate(url)
        return url

    @contextlib.contextmanager
    def deployment(self, **options: Any) -> Iterator[Deployment]:
        """A deployment of its own, as `sietch up` starts it, but with rates unlimited: the client is one address."""
        env = {"SIETCH_RATE_FACTOR": "0", **options.pop("env", {})}
        self.tell("starting a deployment")
        with Deployment(self.folder(), env=env, **options) as made:
            yield made

    # ------------------------------------------------------------------ interleaving

    async def interleaved(
        self, parts: Mapping[str, Sample], samples: int, *, warm_up: int = 100, block: int = 50
    ) -> dict[str, list[float]]:
        """Seconds of each part, taken in turn in blocks (ABAB), so that the machine's moods meet all alike."""
        taken: dict[str, list[float]] = {name: [] for name in parts}
        for name, part in parts.items():
            self.tell(f"warming up {name}")
            for _ in range(warm_up):
                await part()
        while min(map(len, taken.values())) < samples:
            for name, part in parts.items():
                for _ in range(block):
                    started = time.perf_counter()
                    told = await part()
                    taken[name].append(time.perf_counter() - started if told is None else told)
            self.tell(f"{min(map(len, taken.values()))} of {samples} samples")
        return taken

    async def alternating(
        self, parts: Mapping[str, Callable[[], Awaitable[float]]], rounds: int
    ) -> dict[str, list[float]]:
        """Figures (rates, seconds) of parts that each measure a whole stretch, taken in turn."""
        taken: dict[str, list[float]] = {name: [] for name in parts}
        for number in range(rounds):
            for name, part in parts.items():
                self.tell(f"{name}, round {number + 1} of {rounds}")
                taken[name].append(await part())
        return taken


@contextlib.asynccontextmanager
async def in_thread(manager: contextlib.AbstractContextManager[Any]) -> AsyncIterator[Any]:
    """A context manager whose entering and leaving block (a deployment), beside a running event loop."""
    entered = await asyncio.to_thread(manager.__enter__)
    try:
        yield entered
    finally:
        await asyncio.to_thread(manager.__exit__, None, None, None)


def resident_kib(pid: int) -> float:
    """Resident memory of a process in KiB."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024
