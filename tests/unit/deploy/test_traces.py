"""The stand-in for the trace viewer takes what services export, and shows it."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from deploy.traces.standin import TRACES, servers


@pytest.fixture
def address() -> Iterator[str]:
    (made,) = servers("127.0.0.1", 0)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()


def exported(trace: int, *spans: tuple[str, int, int]) -> bytes:
    """A request with spans (name, id, id of the parent), one after another."""
    request = ExportTraceServiceRequest()
    resource = request.resource_spans.add()
    said = resource.resource.attributes.add()
    said.key, said.value.string_value = "service.name", "room"
    scope = resource.scope_spans.add()
    for number, (name, id_, parent) in enumerate(spans):
        span = scope.spans.add()
        span.name, span.trace_id, span.span_id = name, trace.to_bytes(16, "big"), id_.to_bytes(8, "big")
        span.parent_span_id = parent.to_bytes(8, "big") if parent else b""
        span.start_time_unix_nano, span.end_time_unix_nano = 1000 + number, 5_001_000
    return request.SerializeToString()


def test_spans_are_shown_below_their_parents(address: str) -> None:
    body = exported(7, ("room.http", 1, 0), ("room.<rules>", 2, 1))
    sent = httpx.post(
        f"{address}/v1/traces", content=gzip.compress(body), headers={"content-encoding": "gzip"}
    )
    assert sent.status_code == 200
    page = httpx.get(address).text
    assert "room.http" in page
    assert "2 spans" in page
    assert "5.0 ms" in page
    one = httpx.get(f"{address}/trace/{7:032x}").text
    assert "room.&lt;rules&gt;" in one
    assert one.index("padding-left:0.8em") < one.index("padding-left:2.0em")


def test_old_traces_are_forgotten_and_unknown_ones_are_not_there(address: str) -> None:
    with httpx.Client(base_url=address) as client:
        for trace in range(1, TRACES + 2):
            client.post("/v1/traces", content=exported(trace, ("room.http", 1, 0)))
        assert client.get(f"/trace/{1:032x}").status_code == 404
        assert client.get(f"/trace/{2:032x}").status_code == 200
        assert client.post("/v1/metrics", content=b"x").status_code == 404
