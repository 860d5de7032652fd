"""`python -m deploy.traces.standin`: takes spans (OTLP over HTTP) at port 4318 and shows the newest traces at 16686.

It stands in for Jaeger where that cannot be pulled: it forgets what is old, searches nothing, and is for one's own
machine only.
"""

from __future__ import annotations

import gzip
import html
import threading
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

TRACES = 500
"""How many traces are kept, the newest."""
SPANS = 500
"""How many spans of one trace are kept, the first."""
BODY_BYTES = 8 * 1024 * 1024
STYLE = (
    "body{font:14px system-ui;margin:2em}table{border-collapse:collapse}td{padding:.15em .8em}"
    ".bar{background:#b5651d;height:.8em;min-width:2px}.lane{width:40em;position:relative;height:.8em}"
)


class Span(NamedTuple):
    """One span: its ids in hex, its times in nanoseconds."""

    service: str
    name: str
    id: str
    parent: str
    start: int
    end: int
    words: str


class Kept:
    """The newest traces, by id."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._traces: OrderedDict[str, list[Span]] = OrderedDict()

    def take(self, body: bytes) -> None:
        """Keep the spans of one request. Raises protobuf's DecodeError for what is none."""
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            named = {item.key: item.value.string_value for item in resource.resource.attributes}
            for scope in resource.scope_spans:
                for span in scope.spans:
                    words = " ".join(f"{item.key}={item.value.string_value}" for item in span.attributes)
                    made = Span(
                        named.get("service.name", "?"),
                        span.name,
                        span.span_id.hex(),
                        span.parent_span_id.hex(),
                        span.start_time_unix_nano,
                        span.end_time_unix_nano,
                        words,
                    )
                    self._keep(span.trace_id.hex(), made)

    def _keep(self, trace: str, span: Span) -> None:
        with self._lock:
            spans = self._traces.setdefault(trace, [])
            if len(spans) < SPANS:
                spans.append(span)
            while len(self._traces) > TRACES:
                self._traces.popitem(last=False)

    def all(self) -> list[tuple[str, list[Span]]]:
        """Every trace, the newest first."""
        with self._lock:
            return [
                (trace, sorted(spans, key=lambda span: span.start))
                for trace, spans in reversed(self._traces.items())
            ]

    def one(self, trace: str) -> list[Span]:
        """The spans of a trace in order of their beginning; none when it is not kept."""
        with self._lock:
            return sorted(self._traces.get(trace, []), key=lambda span: span.start)


def listing(kept: Kept) -> str:
    """The page of all traces: how each began, how long it took, in how many spans and services."""
    rows = "".join(
        f'<tr><td><a href="/trace/{trace}">{trace[:16]}</a><td>{html.escape(spans[0].service)}'
        f"<td>{html.escape(spans[0].name)}<td>{_length(spans) / 1e6:.1f} ms<td>{len(spans)} spans"
        f"<td>{len({span.service for span in spans})} services"
        for trace, spans in kept.all()
    )
    return f"<h1>Traces</h1><p>A stand-in for the trace viewer: the newest {TRACES}.</p><table>{rows}</table>"


def drawing(trace: str, spans: list[Span]) -> str:
    """The page of one trace: each span below its parent, with its time as a bar."""
    whole, first = max(1, _length(spans)), spans[0].start
    depths: dict[str, int] = {}
    rows = []
    for span in spans:
        depth = depths[span.id] = depths.get(span.parent, -1) + 1
        left, wide = (span.start - first) / whole * 100, (span.end - span.start) / whole * 100
        rows.append(
            f'<tr><td style="padding-left:{depth * 1.2 + 0.8:.1f}em">{html.escape(span.service)}: '
            f'{html.escape(span.name)}<td>{(span.end - span.start) / 1e6:.2f} ms<td><div class="lane"><div class="bar" '
            f'style="position:absolute;left:{left:.2f}%;width:{min(wide, 100 - left):.2f}%"></div></div>'
            f"<td>{html.escape(span.words)}"
        )
    return f'<h1>{trace}</h1><p><a href="/">all traces</a></p><table>{"".join(rows)}</table>'


def _length(spans: list[Span]) -> int:
    return max(span.end for span in spans) - min(span.start for span in spans)


class Handler(BaseHTTPRequestHandler):
    """Both ports: spans come by POST /v1/traces, pages go out."""

    kept: Kept

    def do_POST(self) -> None:
        """Spans, as exporters send them."""
        size = int(self.headers.get("content-length") or 0)
        if self.path != "/v1/traces" or not 0 < size <= BODY_BYTES:
            self._send(404, "there is nothing to post here")
            return
        body = self.rfile.read(size)
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        self.kept.take(body)
        self._send(200, "")

    def do_GET(self) -> None:
        """The list of traces, or one."""
        trace = self.path.removeprefix("/trace/")
        spans = self.kept.one(trace)
        if self.path in ("/", "/search"):
            self._send(200, listing(self.kept))
        elif spans:
            self._send(200, drawing(trace, spans))
        else:
            self._send(404, "there is no such trace here")

    def _send(self, status: int, text: str) -> None:
        page = (
            f"<!doctype html><meta charset=utf-8><title>Traces</title><style>{STYLE}</style>{text}"
            if text
            else ""
        )
        data = page.encode()
        self.send_response(status)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """The pages say what there is."""


def servers(host: str, *ports: int) -> list[ThreadingHTTPServer]:
    """One server for each port, over the same traces; the ports are their `server_port`."""
    handler = type("Own", (Handler,), {"kept": Kept()})
    return [ThreadingHTTPServer((host, port), handler) for port in ports]


def main() -> None:
    """Serve until ended."""
    spans, pages = servers("0.0.0.0", 4318, 16686)
    threading.Thread(target=spans.serve_forever, daemon=True).start()
    print("spans at 4318, pages at 16686 (a stand-in for the trace viewer)", flush=True)
    pages.serve_forever()


if __name__ == "__main__":
    main()
