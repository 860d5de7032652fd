"""The stand-in for Grafana serves our own files as they are, passes queries on, and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from deploy.grafana.make import FOLDER
from deploy.grafana.standin.__main__ import server
from tests.waiting import PATIENCE


class Prometheus(BaseHTTPRequestHandler):
    """Says what it was asked; knows no function `nothing`."""

    def do_GET(self) -> None:
        body = f'{{"asked":"{self.path}"}}'.encode()
        self.send_response(400 if "nothing" in self.path else 200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def standin() -> Iterator[httpx.Client]:
    behind = ThreadingHTTPServer(("127.0.0.1", 0), Prometheus)
    made = server(f"http://127.0.0.1:{behind.server_port}/")
    for one in (behind, made):
        threading.Thread(target=one.serve_forever, daemon=True).start()
    with httpx.Client(base_url=f"http://127.0.0.1:{made.server_port}", timeout=PATIENCE) as client:
        yield client
    for one in (made, behind):
        one.shutdown()
        one.server_close()


def test_the_same_files_as_grafana_gets(standin: httpx.Client) -> None:
    for path in FOLDER.glob("*.json"):
        assert standin.get(f"/{path.name}").content == path.read_bytes()
        assert "stand-in" in standin.get(f"/{path.stem}").text
    for name, kind in (
        ("page.mjs", "text/javascript"),
        ("draw.mjs", "text/javascript"),
        ("page.css", "text/css"),
    ):
        assert standin.get(f"/{name}").headers["content-type"].startswith(kind)


def test_queries_are_passed_on_with_their_answers(standin: httpx.Client) -> None:
    asked = standin.get("/api/v1/query_range", params={"query": "up == 1", "step": "15"})
    assert asked.json() == {"asked": "/api/v1/query_range?query=up+%3D%3D+1&step=15"}
    assert standin.get("/api/v1/query?query=nothing()").status_code == 400


@pytest.mark.parametrize(
    "path", ["/none.json", "/../make.py", "/%2e%2e/panels.py", "/__main__.py", "/api/v1/admin/tsdb/x.y"]
)
def test_nothing_else_is_there(standin: httpx.Client, path: str) -> None:
    assert standin.get(path).status_code == 404


def test_without_prometheus_it_says_so() -> None:
    made = server("http://127.0.0.1:1")
    threading.Thread(target=made.serve_forever, daemon=True).start()
    told = httpx.get(f"http://127.0.0.1:{made.server_port}/api/v1/query?query=up", timeout=PATIENCE)
    made.shutdown()
    made.server_close()
    assert told.status_code == 502
    assert "Prometheus does not answer" in told.text
