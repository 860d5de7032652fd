"""Where a deployment under test sends its spans: OTLP over HTTP, as a collector takes it."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class Told:
    """One span as it was exported: its ids in hex, and everything in it that could say something."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    attributes: dict[str, str]
    text: str


class Collector:
    """Keeps every span that comes, and hands the path and unpacked body of each request to `take` before."""

    def __init__(self, take: Callable[[str, bytes], None] = lambda path, body: None) -> None:
        self.spans: list[Told] = []
        keep = self.spans

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if self.headers.get("content-encoding") == "gzip":
                    body = gzip.decompress(body)
                take(self.path, body)
                keep.extend(told(body))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Tests print what they find, not each request."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def of(self, trace: str) -> list[Told]:
        """The spans of a trace so far."""
        return [span for span in list(self.spans) if span.trace == trace]


def told(body: bytes) -> Iterator[Told]:
    """The spans of one request."""
    request = ExportTraceServiceRequest.FromString(body)
    for resource in request.resource_spans:
        named = {item.key: item.value.string_value for item in resource.resource.attributes}
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield Told(
                    named["service.name"],
                    span.name,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    {item.key: item.value.string_value for item in span.attributes},
                    f"{span.status.message}{span.events or ''}",
                )
