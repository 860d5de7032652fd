"""Supervision of one process: ports are learned, notices told, a crash is followed by a new start."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from services.embedded.child import Child
from tests.waiting import PATIENCE

SERVICE = textwrap.dedent("""
    import http.server, json
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    class Ready(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
        def log_message(self, *args):
            pass
    server.RequestHandlerClass = Ready
    print(json.dumps({"event": "listening", "kind": "ops", "port": server.server_port}), flush=True)
    print(json.dumps({"event": "room K7QF made", "notice": True}), flush=True)
    print(json.dumps({"event": "append failed", "level": "error", "reason": "no space"}), flush=True)
    server.serve_forever()
""")


def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


class Told:
    def __init__(self) -> None:
        self.lines: list[tuple[str, str, str]] = []

    def __call__(self, kind: str, name: str, text: str) -> None:
        self.lines.append((kind, name, text))


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def child(tmp_path: Path, told: Told) -> Iterator[Child]:
    made = Child("room", [sys.executable, "-c", SERVICE], os.environ, tmp_path / "room.log", told)
    yield made
    made.kill(restart=False)


def test_it_becomes_ready_and_tells_what_matters(child: Child, told: Told) -> None:
    assert child.not_ready() == "it is not running"
    child.start()
    until(lambda: child.not_ready() is None)
    until(lambda: len(told.lines) == 2)
    assert told.lines == [
        ("notice", "room", "room K7QF made"),
        ("problem", "room", "append failed: no space"),
    ]
    assert "room K7QF made" in child.log_tail()


def test_a_crash_is_followed_by_a_new_start(child: Child, told: Told) -> None:
    child.start()
    until(lambda: child.not_ready() is None)
    first = child.pid
    child.kill()
    until(lambda: child.restarts == 1 and child.not_ready() is None)
    assert child.pid != first
    assert ("restart", "room", "ended (SIGKILL), starting again") in told.lines


def test_what_was_stopped_stays_down_until_it_is_started(child: Child) -> None:
    child.start()
    until(lambda: child.not_ready() is None)
    assert child.stop()
    time.sleep(0.3)
    assert child.pid is None
    child.start()
    until(lambda: child.not_ready() is None)


def test_the_reason_of_a_failing_start_is_told(tmp_path: Path, told: Told) -> None:
    failing = Child(
        "bot", [sys.executable, "-c", "raise SystemExit('no such thing')"], os.environ, tmp_path / "log", told
    )
    failing.start()
    until(lambda: failing.restarts >= 1)
    failing.stop()
    assert told.lines[0] == ("restart", "bot", "ended (exit code 1), starting again: no such thing")
