"""The check `restarts`: every part is restarted by a command that the verifier was given, and games go on.

And that it finds what a restart must not do: a deployment whose store is set back while it is down.
"""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg
import pytest

from services.embedded import Deployment
from services.embedded.deployment import SERVICES
from tests.verifier.planting import deployed, verified

pytestmark = pytest.mark.slow

SERVERS = ("nats", "postgres")
ASK = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=170).read()"


def restart(sietch: Deployment, name: str) -> None:
    """One server, or all replicas of one service, one after another."""
    for index in range(1 if name in SERVERS else len(sietch.children[name])):
        sietch.stop(name, index)
        sietch.start(name, index)


@contextmanager
def commanded(work: Callable[[str], None]) -> Iterator[str]:
    """A command that has `work` done with the service's name: all that the verifier gets to know of it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            work(self.path.strip("/"))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/{{service}}"
    yield shlex.join([sys.executable, "-c", ASK, url])
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def sietch() -> Iterator[Deployment]:
    with deployed() as made:
        yield made


def test_games_go_on_through_every_restart(sietch: Deployment) -> None:
    with commanded(lambda name: restart(sietch, name)) as command:
        words = ["--url", sietch.url, "--only", "restarts", "--restart-command", command]
        status, found = verified("http", *words, "--services", ",".join((*SERVICES, *SERVERS)))
    assert (status, found) == (0, [])


SET_BACK = """
WITH newest AS (SELECT id FROM rooms WHERE state = 'running' AND NOT bot_waits ORDER BY updated_at DESC LIMIT 1),
gone AS (DELETE FROM commits c USING newest, rooms r WHERE r.id = newest.id AND c.room = r.id AND c.version = r.version
    RETURNING c.room, c.version, c.prev_hash),
facts AS (DELETE FROM events e USING gone WHERE e.room = gone.room AND e.version = gone.version)
UPDATE rooms SET version = gone.version - 1, hash = gone.prev_hash FROM gone WHERE rooms.id = gone.room"""


def test_a_restart_that_loses_the_last_answer_is_found(sietch: Deployment) -> None:
    def forget(name: str) -> None:
        """All are down while the newest commit of the people's game goes: nobody remembers it."""
        for service in SERVICES:
            for index in range(len(sietch.children[service])):
                sietch.stop(service, index)
        with psycopg.connect(sietch.database_url, autocommit=True) as connection:
            connection.execute(SET_BACK)
        for service in SERVICES:
            for index in range(len(sietch.children[service])):
                sietch.children[service][index].start()
        sietch.wait_ready()

    with commanded(forget) as command:
        words = [
            "--url",
            sietch.url,
            "--only",
            "restarts",
            "--restart-command",
            command,
            "--services",
            "room",
        ]
        status, found = verified("http", *words)
    assert status == 1
    assert any("after room was restarted" in text for text in found), found
