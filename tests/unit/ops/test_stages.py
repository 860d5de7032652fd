"""A stage is one word for a span, a metric and a line of the log; it says no more than it should."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterator

import pytest
import structlog
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from shared.ops import metrics, stages, tracing
from shared.ops.logging import get_logger, setup_logging
from shared.ops.stages import Stage

CLIENT = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
OUTER = Stage("test.outer", "The whole")
INNER = Stage("test.inner", "A part of it", ("outcome",))


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Tracing switched on for one test."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "_on", True)
    monkeypatch.setattr(
        tracing, "begin", lambda name, kind: provider.get_tracer("test").start_span(name, kind=kind)
    )
    return exporter


@pytest.fixture
def out(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    stream = io.StringIO()
    setup_logging("room", "i1", level="debug", out=stream)
    monkeypatch.setattr(stages, "log", get_logger("stage"))
    yield stream
    structlog.reset_defaults()


def counted(name: str, **labels: str) -> float:
    return metrics.REGISTRY.get_sample_value(f"sietch_{name}_seconds_count", labels) or 0.0


def test_the_same_word_everywhere(spans: InMemorySpanExporter, out: io.StringIO) -> None:
    before = counted("test_inner", outcome="done")
    with OUTER():
        with INNER() as step:
            step.say("done")
    inner, outer = spans.get_finished_spans()
    assert (inner.name, outer.name) == ("test.inner", "test.outer")
    assert inner.parent is not None
    assert inner.parent.span_id == outer.context.span_id
    assert dict(inner.attributes or {}) == {"sietch.outcome": "done"}
    assert counted("test_inner", outcome="done") == before + 1
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(line["event"], line["trace"]) for line in lines] == [
        (name, f"{outer.context.trace_id:032x}") for name in ("test.inner", "test.outer")
    ]


def test_an_error_is_told_by_its_kind_alone(spans: InMemorySpanExporter, out: io.StringIO) -> None:
    with pytest.raises(ValueError), INNER():
        raise ValueError("the traitor is feyd_rautha")
    (span,) = spans.get_finished_spans()
    assert not span.status.is_ok
    assert span.status.description is None
    assert span.events == ()
    assert dict(span.attributes or {}) == {"sietch.outcome": "failed", "sietch.error": "ValueError"}
    assert "feyd" not in out.getvalue()
    assert counted("test_inner", outcome="failed") >= 1


def test_a_stage_that_ended_early_counts_once(spans: InMemorySpanExporter) -> None:
    before = counted("test_outer")
    with OUTER() as step:
        step.end()
    assert counted("test_outer") == before + 1
    assert len(spans.get_finished_spans()) == 1


def test_off_a_stage_only_counts_unless_a_client_asks(out: io.StringIO) -> None:
    with OUTER():
        assert tracing.inject({"a": "b"}) == {"a": "b"}
        assert tracing.current() is None
    assert out.getvalue() == ""
    with tracing.continued(CLIENT), OUTER():
        assert tracing.inject() == CLIENT
    (line,) = map(json.loads, out.getvalue().splitlines())
    assert line["trace"] == CLIENT["traceparent"].split("-")[1]


@pytest.mark.parametrize(
    "wrong", ["", "x", "00-0-0-0", "00-" + "0" * 32 + "-" + "1" * 16 + "-01", "ff" * 500]
)
def test_what_is_no_trace_is_passed_over(wrong: str) -> None:
    with tracing.continued({"traceparent": wrong}):
        assert tracing.current() is None
        assert tracing.inject() is None


async def test_a_message_without_a_trace_belongs_to_none() -> None:
    """Though its handler runs below whatever made the subscription."""

    async def handler() -> bool:
        with tracing.continued(None):
            return tracing.current() is None

    with tracing.continued(CLIENT):
        assert await asyncio.create_task(handler())
        assert tracing.current() is not None


def test_a_game_of_bots_is_not_one_trace(caplog: pytest.LogCaptureFixture) -> None:
    """And the library has nothing to complain of: its warnings would stand in the bots' log."""
    headers: dict[str, str] | None = dict(CLIENT)
    followed = 0
    while headers:
        with tracing.continued(headers), tracing.hop():
            headers = tracing.inject()
            followed += headers is not None
    assert followed == tracing.MOST_HOPS
    assert caplog.records == []
