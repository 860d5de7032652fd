"""Traces are sampled where they begin, by the ratio that is set, and go whole or not at all to an OTLP endpoint."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.system.collector import Collector
from tests.waiting import PATIENCE

REQUESTS = 400
SCRIPT = f"""
import sys, time
from shared.ops import tracing
from shared.ops.stages import Stage

HERE, THERE = Stage("test.here", "One service"), Stage("test.there", "Another")
assert tracing.setup_tracing("room", "i1", False, float(sys.argv[1]))
client = dict(traceparent=sys.argv[2]) if len(sys.argv) > 2 else None
for _ in range({REQUESTS}):
    with tracing.continued(client), HERE():
        message = tracing.inject()
    with tracing.continued(message), THERE():
        pass
began = time.monotonic()
tracing.stop_tracing()
print(time.monotonic() - began)
"""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as made:
        yield made


def run(endpoint: str, *words: str) -> float:
    """Trace so many requests; the seconds that the end of the process waits for what is not exported yet."""
    env = os.environ | {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
    command = [sys.executable, "-c", SCRIPT, *words]
    done = subprocess.run(command, check=True, timeout=2 * PATIENCE, env=env, capture_output=True, text=True)
    return float(done.stdout.splitlines()[-1])


def traces(collector: Collector) -> Counter[str]:
    """How many spans came of each trace."""
    return Counter(span.trace for span in collector.spans)


@pytest.mark.parametrize(
    ("ratio", "least", "most"), [("0", 0, 0), ("0.25", 60, 140), ("1", REQUESTS, REQUESTS)]
)
def test_so_many_traces_are_exported_and_each_whole(
    collector: Collector, ratio: str, least: int, most: int
) -> None:
    """A quarter of 400 is 100; beyond 60 and 140 chance comes once in a hundred thousand runs."""
    run(collector.url, ratio)
    found = traces(collector)
    assert least <= len(found) <= most
    assert set(found.values()) <= {2}, "both services' spans, or neither"
    assert {span.service for span in collector.spans} <= {"sietch-room"}


@pytest.mark.parametrize(("flag", "spans"), [("01", 2 * REQUESTS), ("00", 0)])
def test_what_a_client_decided_is_followed(collector: Collector, flag: str, spans: int) -> None:
    ratio = "0" if flag == "01" else "1"
    run(collector.url, ratio, f"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-{flag}")
    assert sum(traces(collector).values()) == spans


def test_an_endpoint_that_is_away_holds_nothing_up() -> None:
    assert run("http://127.0.0.1:1", "1") < 8, "the exporter's own patience is above ten seconds"
