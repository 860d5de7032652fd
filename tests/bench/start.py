"""From `sietch up` to the first page, the environment being there: the first time (no data yet) and after."""

from __future__ import annotations

import http.client
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import IO

from services.embedded import EmbeddedNats, EmbeddedPostgres
from services.embedded.account import unprivileged
from services.embedded.home import Home
from tests.bench.bench import Bench
from tests.bench.model import Measure, Row, at_most

__all__ = ["ROWS"]

PATIENCE = 60.0


def bare(folder: Path) -> float:
    """Seconds until a bare PostgreSQL and a bare NATS answer, made if they are not there yet."""
    started = time.perf_counter()
    home = Home(folder, unprivileged())
    servers = (EmbeddedPostgres(home), EmbeddedNats(home))
    try:
        for server in servers:
            server.start()
        return time.perf_counter() - started
    finally:
        for server in servers:
            server.stop()
        home.release()


def product(folder: Path) -> float:
    """Seconds from the command to the whole first page."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "services.cli", "up", "--home", str(folder), "--port", "0"]
    # Users' Python keeps what it compiled.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
    assert child.stdout is not None
    try:
        port = port_told(child.stdout)
        first_page(port)
        return time.perf_counter() - started
    finally:
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=PATIENCE)


def port_told(output: IO[str]) -> int:
    """The port in the line that names the address. RuntimeError with what was said instead."""
    said = []
    for line in output:
        said.append(line)
        if found := re.search(r"http://[^:/]+:(\d+)", line):
            return int(found[1])
    raise RuntimeError(f"sietch up ended without an address:\n{''.join(said[-5:])}")


def first_page(port: int) -> None:
    """Fetch the page until it is there."""
    deadline = time.perf_counter() + PATIENCE
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/")
            reply = connection.getresponse()
            if reply.status == 200 and b"</html>" in reply.read():
                return
        except OSError:
            pass  # not there yet; the deadline below bounds the waiting
        finally:
            connection.close()
        if time.perf_counter() > deadline:
            raise TimeoutError("the first page did not come")
        time.sleep(0.01)


async def starting(bench: Bench) -> list[Measure]:
    """In turn: servers alone in a new folder and again, then `sietch up` in a new folder and again."""
    taken: dict[str, list[float]] = {}
    used: dict[str, list[float]] = {}
    rounds = bench.number(5, 1)
    for number in range(rounds):
        for name, work in (("floor", bare), ("product", product)):
            folder = bench.folder()
            for when in ("first", "after"):
                bench.tell(f"{name}, {when}, round {number + 1} of {rounds}")
                before = processor()
                taken.setdefault(f"{name} {when}", []).append(work(folder))
                used.setdefault(f"{name} {when}", []).append(processor() - before)
    measures = []
    for when, told, limit, servers in (
        ("first", "the first time", 6, "initdb, PostgreSQL and NATS"),
        ("after", "after", 3, "PostgreSQL and NATS"),
    ):
        wall, cpu = median(taken[f"product {when}"]), median(used[f"product {when}"])
        floor = median(taken[f"floor {when}"])
        measures += [
            Measure(told, "s", wall, floor, at_most(limit, "value"), rounds, f"floor: {servers}"),
            Measure(
                f"{told}, processor", "s", cpu, median(used[f"floor {when}"]), None, rounds,
                "of all processes together, stopping included",
            ),
        ]  # fmt: skip
    return measures


def processor() -> float:
    """Processor seconds of all processes that were started from here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


ROWS = (Row("start", "`make run` to the first page, environment already made", starting),)
