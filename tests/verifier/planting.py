"""Planting one fault at a time, and what the verifier said of it."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import msgspec
import psycopg
from typer.testing import CliRunner

from services.cli.verify import CASES, app
from services.embedded import Deployment
from services.embedded.child import Child
from services.verifier.promises import Promised, Promises
from tests.verifier.faults import Plant
from tests.verifier.faulty import FAULTS
from tests.verifier.meddler import Fault, Meddler
from tests.verifier.rows import RowPlant

ENV = {"SIETCH_SCENARIOS": "1", "SIETCH_RATE_FACTOR": "0"}


@dataclass(frozen=True)
class Row:
    """A plant and what came of it. `found`: the finding that tells of it; empty when there was none."""

    planted: str
    where: str
    by: str
    found: str
    seconds: float


class Faulty(Deployment):
    """A deployment one of whose services has a fault."""

    fault = ""

    def _child(self, service: str, index: int) -> Child:
        child = super()._child(service, index)
        if self.fault and FAULTS[self.fault][0] == service:
            command = [sys.executable, "-m", "tests.verifier.faulty", service, self.fault]
            child._command = command
        return child


@contextmanager
def deployed(fault: str = "", env: Mapping[str, str] = ENV) -> Iterator[Deployment]:
    """A deployment of this run's own, sound or with a fault in one of its services."""
    folder = Path(tempfile.mkdtemp(prefix="sietch-test-"))
    folder.chmod(0o755)
    made = Faulty(folder, env=env, durable=False, replicas={"room": 2, "rules": 2})
    made.fault = fault
    try:
        with made:
            yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def verified(*words: str) -> tuple[int, list[str]]:
    """Run `sietch verify` and return its exit status and the lines of what it found."""
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code in (0, 1), done.output
    report = msgspec.json.decode(done.stdout)
    if "faults" in report:
        return done.exit_code, [fault["text"] for fault in report["faults"]]
    findings = [finding for outcome in report["outcomes"] for finding in outcome["findings"]]
    return done.exit_code, [f"{one['where']}: {one['what']}, not {one['expected']}" for one in findings]


def at_the_door(meddler: Meddler, plant: Plant) -> Row:
    """Let the door do one thing wrong while the check that has to find it runs."""
    meddler.fault = plant.make()
    began = time.monotonic()
    try:
        words = ["--url", meddler.address, "--quick", "--only", plant.check, "--cases", str(CASES[0])]
        status, found = verified("http", *words, "--timeout", "120")
    finally:
        meddler.fault = Fault()
    told = _told(found, plant.told) if status == 1 else ""
    return Row(plant.what, "at the door", plant.check, told, time.monotonic() - began)


def within(fault: str, check: str, told: str, *words: str) -> Row:
    """Start a deployment with a fault in a service, and run the check that has to find it."""
    service = FAULTS[fault][0]
    what = (FAULTS[fault][1].__doc__ or fault).split(" [")[0].rstrip(".")
    with deployed(fault) as sietch:
        began = time.monotonic()
        common = ["--url", sietch.url, "--only", check, "--cases", str(CASES[0]), "--timeout", "200"]
        status, found = verified("http", *common, *words)
        seconds = time.monotonic() - began
    return Row(what, f"in {service}", check, _told(found, told) if status == 1 else "", seconds)


def _told(found: list[str], word: str) -> str:
    return next((text for text in found if word in text), "")


# ---------------------------------------------------------------------- stores


def richest(promises: Path, database_url: str) -> str:
    """The id of the room of which most was promised."""
    finished = [one for one in Promises.read(promises) if one.finished and one.shown]
    chosen: Promised = max(finished, key=lambda one: len(one.shown))
    with psycopg.connect(database_url) as connection:
        row = connection.execute("SELECT id::text FROM rooms WHERE code = %s", (chosen.code,)).fetchone()
    assert row is not None
    return str(row[0])


@contextmanager
def copied(database_url: str) -> Iterator[str]:
    """A copy of a database that nobody is connected to."""
    parts = urlsplit(database_url)
    name = parts.path.lstrip("/")
    admin = urlunsplit(parts._replace(path="/postgres"))
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS planted WITH (FORCE)")
        connection.execute(f'CREATE DATABASE planted TEMPLATE "{name}"')  # type: ignore[arg-type]
    yield urlunsplit(parts._replace(path="/planted"))
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("DROP DATABASE planted WITH (FORCE)")


def in_the_store(database_url: str, promises: Path, plant: RowPlant) -> tuple[Row, list[str]]:
    """Plant one fault in a copy of the store; what was found, and what was found without the promises."""
    room = richest(promises, database_url)
    with copied(database_url) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            plant.do(connection, room)
        began = time.monotonic()
        _, found = verified("store", "--database-url", url, "--promises", str(promises))
        seconds = time.monotonic() - began
        alone = verified("store", "--database-url", url)[1] if plant.needs_promises else []
    by = "verify store --promises" if plant.needs_promises else "verify store"
    return Row(plant.what, "in the store", by, _told(found, plant.told), seconds), alone
