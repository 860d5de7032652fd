"""Traces: which action a span, a message or a line of the log belongs to. Names and sizes only, never game content.

Off unless an OTLP endpoint or `SIETCH_TRACE` is set: then nothing is put in headers and a helper costs a look at a
context variable. A client that sends a `traceparent` of its own is followed even then, in the logs alone.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextvars import Token

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_on = False
_w3c = TraceContextTextMapPropagator()
_NOTHING = Context()

HEADER = "traceparent"
HOPS = "sietch"
"""The member of `tracestate` that counts how many bots have answered in a row."""
LAST_SECONDS = 2.0
"""How long the last spans may take at the end of a process."""
MOST_HOPS = 8
"""After so many the next bot's answer begins a trace of its own: a game of bots alone would else be a single one."""


def setup_tracing(service: str, instance: str, wanted: bool, ratio: float) -> bool:
    """Follow actions, sampling `ratio` of traces; export spans if the environment names an OTLP endpoint.

    Returns whether tracing is on: it is if it is `wanted` or if there is an endpoint.
    """
    global _on
    endpoint = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or os.environ.get(
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
    )
    if not wanted and not endpoint:
        return False
    # Imported here: the SDK and the exporter cost 150 ms of start-up that only tracing needs.
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    resource = Resource.create({"service.name": f"sietch-{service}", "service.instance.id": instance})
    sampler = ParentBased(TraceIdRatioBased(ratio))
    provider = TracerProvider(resource=resource, sampler=sampler, shutdown_on_exit=False)
    if endpoint:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    _on = True
    return True


def stop_tracing() -> None:
    """Send what is buffered, for as long as `LAST_SECONDS`; call once at the end."""
    shutdown = getattr(trace.get_tracer_provider(), "shutdown", None)
    if _on and shutdown is not None:
        # An endpoint that is away is tried again for longer than a replica may take to end.
        last = threading.Thread(target=shutdown, daemon=True)
        last.start()
        last.join(LAST_SECONDS)


def is_on() -> bool:
    """Whether this process makes spans."""
    return _on


def current() -> SpanContext | None:
    """The trace and span that what runs now belongs to; None outside of any trace."""
    span = trace.get_current_span()
    return None if span is trace.INVALID_SPAN else span.get_span_context()


def begin(name: str, kind: trace.SpanKind) -> Span:
    """A new span below the current one; to be ended by the caller."""
    return trace.get_tracer("sietch").start_span(name, kind=kind)


def inject(headers: dict[str, str] | None = None) -> dict[str, str] | None:
    """`headers` with the current trace's `traceparent`; unchanged outside of any trace."""
    if trace.get_current_span() is trace.INVALID_SPAN:
        return headers
    carrier = {} if headers is None else headers
    _w3c.inject(carrier)
    return carrier or None


class within:
    """A block of code, and the tasks that it makes, belong to a context."""

    __slots__ = ("_context", "_token")

    def __init__(self, found: Context | None) -> None:
        self._context = found
        self._token: Token[Context] | None = None

    def __enter__(self) -> None:
        if self._context is not None:
            self._token = context.attach(self._context)

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            context.detach(self._token)


def continued(headers: Mapping[str, str] | None) -> within:
    """Whatever runs in the block belongs to the trace that came with a message; to none if none came.

    (A handler would else belong to whatever made its subscription.)
    """
    if headers and HEADER in headers:
        return within(_w3c.extract(headers, _NOTHING))
    return within(None if trace.get_current_span() is trace.INVALID_SPAN else _NOTHING)


def leave() -> None:
    """What this task does from now on belongs to no trace: for work that outlives what began it."""
    context.attach(_NOTHING)


def hop() -> within:
    """A bot's answer to what went before belongs to the same trace, until too many have answered in a row."""
    before = current()
    if before is None:
        return within(None)
    said = before.trace_state.get(HOPS) or "0"
    hops = int(said) + 1 if said.isdecimal() and len(said) < 4 else 1
    if hops > MOST_HOPS:
        return within(_NOTHING)
    state = before.trace_state.update(HOPS, str(hops))
    parent = SpanContext(before.trace_id, before.span_id, before.is_remote, before.trace_flags, state)
    return within(trace.set_span_in_context(NonRecordingSpan(parent), _NOTHING))


def traceparent(of: SpanContext) -> str:
    """A span as the W3C's header names it."""
    return f"00-{of.trace_id:032x}-{of.span_id:016x}-{of.trace_flags:02x}"
