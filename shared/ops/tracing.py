"""Traces, off unless an OTLP endpoint or `SIETCH_TRACE` is set. Spans carry no room content, only names and sizes.

Off, every helper costs a function call: OpenTelemetry's no-op tracer stands in, and nothing is put in headers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.propagate import extract as _extract
from opentelemetry.propagate import inject as _inject

_on = False


def setup_tracing(service: str, instance: str, wanted: bool, ratio: float) -> bool:
    """Export spans to the OTLP endpoint of the environment, sampling `ratio` of traces. Returns whether it is on."""
    global _on
    endpoint = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or os.environ.get(
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
    )
    if not wanted and not endpoint:
        return False
    # Imported here: the SDK and the exporter cost 150 ms of start-up that only tracing needs.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    resource = Resource.create({"service.name": f"sietch-{service}", "service.instance.id": instance})
    provider = TracerProvider(resource=resource, sampler=ParentBased(TraceIdRatioBased(ratio)))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    _on = True
    return True


def stop_tracing() -> None:
    """Send what is buffered; call once at the end."""
    shutdown = getattr(trace.get_tracer_provider(), "shutdown", None)
    if _on and shutdown is not None:
        shutdown()


def tracer() -> trace.Tracer:
    """The tracer of this process; `with tracer().start_as_current_span("room.append"):` and so on."""
    return trace.get_tracer("sietch")


def inject(headers: dict[str, str] | None = None) -> dict[str, str] | None:
    """`headers` with the current trace's `traceparent`; unchanged when tracing is off."""
    if not _on:
        return headers
    carrier = {} if headers is None else headers
    _inject(carrier)
    return carrier or None


def extract(headers: Mapping[str, str] | None) -> Context | None:
    """The trace context that came with a message, to give to `start_as_current_span(context=...)`."""
    if not _on or not headers:
        return None
    return _extract(dict(headers))
