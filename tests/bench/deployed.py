"""The deployment that is measured, the floor beside it, and what their processes cost."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psycopg

from services.embedded import Deployment
from tests.bench.client import Line
from tests.bench.script import Step
from tests.bench.skeleton import TABLES

ENV = {"SIETCH_SCENARIOS": "1", "SIETCH_RATE_FACTOR": "0"}
"""A stated seed is for scenarios; the load comes from one address."""
TICK = 1 / os.sysconf("SC_CLK_TCK")


@contextmanager
def deployed(**options: object) -> Iterator[Deployment]:
    """Everything as `sietch up` starts it, fsync on, in a home of its own that is removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="sietch-bench-"))
    folder.chmod(0o755)
    try:
        with Deployment(folder, env=ENV, durable=True, **options) as made:  # type: ignore[arg-type]
            yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def floor_beside(
    sietch: Deployment,
    steps: list[Step],
    module: str = "tests.bench.skeleton",
    parts: tuple[str, ...] = ("echo", "http"),
) -> Iterator[str]:
    """A floor's processes on the same servers as a deployment. Yields the URL of the last of them, its HTTP server."""
    with psycopg.connect(sietch.database_url, autocommit=True) as connection:
        connection.execute(TABLES)
    with tempfile.TemporaryDirectory(prefix="sietch-floor-") as folder, ExitStack() as running:
        script = Path(folder) / "script.json"
        script.write_bytes(msgspec.json.encode(steps))
        env = os.environ | {
            "FLOOR_NATS_URL": sietch.nats_url,
            "FLOOR_DATABASE_URL": sietch.database_url,
            "FLOOR_SCRIPT": str(script),
        }
        line = ""
        for part in parts:
            command = [sys.executable, "-m", module, part]
            child = running.enter_context(
                subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
            )
            running.callback(child.kill)
            assert child.stdout is not None
            line = child.stdout.readline()
            sign = '"port"' if part == parts[-1] else "ready"
            assert sign in line, f"the floor's {part} did not start: {line}"
        yield f"http://127.0.0.1:{json.loads(line)['port']}"


@dataclass(frozen=True)
class Table:
    """A running room with the tokens of all its seats."""

    code: str
    tokens: dict[str, str]

    @property
    def path(self) -> str:
        """Where its routes are."""
        return f"/api/rooms/{self.code}"


def begun(line: Line, seats: tuple[str, ...], seed: int) -> Table:
    """Make a room, sit down at every seat, and begin the game with this seed."""
    made = line.call("POST", "/api/rooms", {"name": f"bench {seed}", "settings": {"seats": len(seats)}})
    path = f"/api/rooms/{made['code']}"
    tokens = {
        seat: line.call("POST", f"{path}/seats", {"name": seat, "faction": seat})["token"] for seat in seats
    }
    line.call("POST", f"{path}/start", {"force": True, "seed": seed}, made["host_token"])
    return Table(made["code"], tokens)


# ---------------------------------------------------------------------- what it costs


def processes(sietch: Deployment) -> dict[str, list[int]]:
    """The process ids of the deployment by part; PostgreSQL with all its children."""
    found = {
        name: [child.pid for child in children if child.pid] for name, children in sietch.children.items()
    }
    if sietch.nats and sietch.nats.pid:
        found["nats"] = [sietch.nats.pid]
    if sietch.postgres and sietch.postgres.pid:
        found["postgres"] = [sietch.postgres.pid, *_children(sietch.postgres.pid)]
    return found


def _children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in path.read_text().split()] if path.exists() else []


def cpu_seconds(pids: list[int]) -> float:
    """User and system time that these processes have used so far."""
    total = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += (int(fields[11]) + int(fields[12])) * TICK
    return total


_SAMPLE = re.compile(r"^sietch_(\w+?)_seconds_(sum|count)(\{.*\})? (\S+)$", re.M)


def timers(sietch: Deployment) -> dict[str, tuple[float, float]]:
    """Every `..._seconds` histogram of every service, over all labels: seconds in all, and observations."""
    found: dict[str, tuple[float, float]] = {}
    for service in sietch.children:
        for url in sietch.ops_urls(service):
            with urllib.request.urlopen(f"{url}/metrics", timeout=10) as answer:
                text = answer.read().decode()
            for name, part, labels, value in _SAMPLE.findall(text):
                if name == "room_http" and "/actions" not in labels:
                    continue
                total, count = found.get(name, (0.0, 0.0))
                number = float(value)
                found[name] = (total + number, count) if part == "sum" else (total, count + number)
    return found
