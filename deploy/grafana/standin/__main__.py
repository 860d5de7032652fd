"""`python -m deploy.grafana.standin --prometheus http://127.0.0.1:9090`: the dashboards in a browser, without Grafana.

It serves the files of `deploy/grafana/dashboards` as they are, and a page that sends each panel's queries to Prometheus
and draws what comes back. It is not Grafana: it knows the five kinds of panel that our dashboards use, edits nothing,
has no users and is for one's own machine only.
"""

from __future__ import annotations

import argparse
import urllib.error
import urllib.request
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).parent
DASHBOARDS = HERE.parent / "dashboards"
KINDS = {".html": "text/html", ".mjs": "text/javascript", ".css": "text/css", ".json": "application/json"}
FILES = {path.name: path for path in (*HERE.iterdir(), *DASHBOARDS.glob("*.json")) if path.suffix in KINDS}


class Handler(BaseHTTPRequestHandler):
    """Files, and Prometheus' API behind the same address, so that a browser may ask it."""

    protocol_version = "HTTP/1.1"

    def __init__(self, prometheus: str, *rest: object) -> None:
        self._prometheus = prometheus
        super().__init__(*rest)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """A page, one of its files, or an answer of Prometheus."""
        path = self.path.partition("?")[0]
        if path.startswith("/api/v1/query"):
            self._ask()
            return
        name = path.rpartition("/")[2] or "page.html"
        found = FILES.get(name if "." in name else "page.html")
        if found is None:
            self._send(404, "text/plain", b"there is no such file\n")
            return
        self._send(200, KINDS[found.suffix], found.read_bytes())

    def _ask(self) -> None:
        try:
            with urllib.request.urlopen(f"{self._prometheus}{self.path}", timeout=30) as reply:
                self._send(200, "application/json", reply.read())
        except urllib.error.HTTPError as error:
            self._send(error.code, "application/json", error.read())
        except OSError as error:
            self._send(502, "text/plain", f"Prometheus does not answer: {error}\n".encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", f"{kind}; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """The page says itself what failed."""


def server(prometheus: str, port: int = 0, host: str = "127.0.0.1") -> ThreadingHTTPServer:
    """A server on an address of this machine; the port is `server_port`."""
    return ThreadingHTTPServer((host, port), partial(Handler, prometheus.rstrip("/")))


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="Sietch's dashboards without Grafana.")
    parser.add_argument("--prometheus", default="http://127.0.0.1:9090")
    parser.add_argument("--port", type=int, default=3000)
    parser.add_argument(
        "--host", default="127.0.0.1", help="0.0.0.0 only in a container whose port is on loopback"
    )
    wanted = parser.parse_args()
    made = server(wanted.prometheus, wanted.port, wanted.host)
    print(f"http://{wanted.host}:{made.server_port}/  (a stand-in for Grafana; Ctrl-C ends it)", flush=True)
    try:
        made.serve_forever()
    except KeyboardInterrupt:
        made.server_close()


if __name__ == "__main__":
    main()
