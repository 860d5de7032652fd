"""One action, followed by its trace id through every service: spans, metrics and logs speak of the same stages."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from services.embedded import Deployment
from services.verifier.room import Room, until
from tests.system.collector import Collector, Told

pytestmark = pytest.mark.slow

TREE = {
    ("room.http", ""),
    ("room.head", "room.http"),
    ("room.rules", "room.http"),
    ("rules.decide", "room.rules"),
    ("room.append", "room.http"),
    ("room.publish", "room.http"),
    ("projection.fold", "room.publish"),
    ("projection.publish", "room.publish"),
    ("room.deliver", "projection.publish"),
    ("bot.task", "room.publish"),
    ("room.look", "bot.task"),
    ("projection.view", "room.look"),
    ("bot.decide", "bot.task"),
    ("room.act", "bot.task"),
    ("room.rules", "room.act"),
    ("room.append", "room.act"),
    ("room.publish", "room.act"),
}
"""Every stage of a person's answer and of the bot's that follows, and the stage below which it happens."""

WORDS = re.compile(r"/api/rooms/\{code\}/\w+|[A-Za-z]+|[0-9]{3}")
"""What an attribute may hold: words of ours, a route without its values, a status."""


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with Collector() as made:
        yield made


@pytest.fixture
def sietch(own_deployment: Callable[..., Deployment], collector: Collector) -> Deployment:
    env = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_BSP_SCHEDULE_DELAY": "100",
        "SIETCH_TRACE_RATIO": "0",
        "SIETCH_LOG_LEVEL": "debug",
    }
    return own_deployment(env=env, replicas={"rules": 2, "room": 2})


def counts(sietch: Deployment) -> Counter[str]:
    """How often each stage was counted by the metrics of all services."""
    found: Counter[str] = Counter()
    for service in sietch.children:
        for url in sietch.ops_urls(service):
            text = httpx.get(f"{url}/metrics", timeout=20).text
            for name, value in re.findall(r"^sietch_(\w+)_seconds_count(?:\{.*\})? (\S+)$", text, re.M):
                found[name] += int(float(value))
    return found


def lines_of(sietch: Deployment, trace: str) -> dict[str, set[str]]:
    """What each service's logs say of a trace."""
    found: dict[str, set[str]] = {}
    for path in sietch.log_folder.glob("*.log"):
        for line in path.read_text(errors="replace").splitlines():
            entry: dict[str, Any] = json.loads(line) if line.startswith("{") else {}
            if entry.get("trace") == trace:
                found.setdefault(entry["service"], set()).add(entry["event"])
    return found


def edges(spans: list[Told]) -> set[tuple[str, str]]:
    """Name and parent's name of every span; no parent for one whose parent is the client's."""
    names = {span.id: span.name for span in spans}
    return {(span.name, names.get(span.parent, "")) for span in spans}


def listen(room: Room, seat: str) -> None:
    """Keep a seat's stream open in the background until the deployment ends it."""

    def read() -> None:
        headers = {"authorization": f"Bearer {room.tokens[seat]}"}
        url = f"{room.client.base_url}{room.path}/stream"
        with contextlib.suppress(httpx.TransportError):
            with httpx.stream("GET", url, headers=headers, timeout=60) as reply:
                for chunk in reply.iter_bytes():
                    heard.append(chunk)

    heard: list[bytes] = []
    threading.Thread(target=read, daemon=True).start()
    until(lambda: b"event: view" in b"".join(heard), "the first view on the stream")


def test_an_action_and_the_bot_that_answers_it(sietch: Deployment, collector: Collector) -> None:
    with Room(sietch.url, seats=2, last_turn=3) as room:
        room.sit("atreides")
        room.add_bot("harkonnen")
        room.start(3)
        listen(room, "atreides")
        trace = act_until_a_bot_answers(room, collector)
        spans = collector.of(trace)
        assert {span.service for span in spans} == {f"sietch-{name}" for name in sietch.children}
        for span in spans:
            assert span.text == "", "no event and no text of an error"
            assert all(WORDS.fullmatch(value) for value in span.attributes.values()), span
        said = lines_of(sietch, trace)
        for service in sietch.children:
            mine = {span.name for span in spans if span.service == f"sietch-{service}"}
            assert mine <= said[service], service
        total = counts(sietch)
        for name, times in Counter(span.name for span in spans).items():
            assert total[name.replace(".", "_")] >= times, name


def act_until_a_bot_answers(room: Room, collector: Collector) -> str:
    """The person answers with a trace of its own each time; the id of one that went all the way."""

    def whole(trace: str) -> bool:
        return edges(collector.of(trace)) >= TREE

    traces: list[str] = []
    for _ in range(30):
        found = until(lambda: room.choice("atreides"), "the person's turn")
        offer, answer = found
        trace = uuid4().hex
        traces.append(trace)
        body = {"command_id": str(uuid4()), "offer": offer.id, "answer": answer}
        headers = {
            "authorization": f"Bearer {room.tokens['atreides']}",
            "traceparent": f"00-{trace}-{'1' * 16}-01",
        }
        reply = room.client.post(f"{room.path}/actions", json=body, headers=headers)
        assert reply.json() == {"ok": True}
        assert reply.headers["traceresponse"].split("-")[1] == trace
        try:  # on a busy machine that of an earlier answer may come now
            return str(until(lambda: next(filter(whole, traces), None), "the whole tree", 4))
        except TimeoutError:
            continue  # nobody but the person was asked next
    raise AssertionError(f"no trace was whole; the last lacks {TREE - edges(collector.of(trace))}")


def test_who_asks_is_answered_even_where_tracing_is_off(deployment: Deployment) -> None:
    url = f"{deployment.url}/api/limits"
    mine = f"00-{uuid4().hex}-{'2' * 16}-01"
    asked = httpx.get(url, headers={"traceparent": mine}, timeout=20)
    assert asked.headers["traceresponse"] == mine
    assert "traceresponse" not in httpx.get(url, timeout=20).headers
    for wrong in ("", "00-x", "\x01", "00-" + "0" * 32 + "-" + "1" * 16 + "-01", "9" * 5000):
        reply = httpx.get(url, headers=[(b"traceparent", wrong.encode())], timeout=20)
        assert (reply.status_code, reply.headers.get("traceresponse")) in ((200, None), (400, None))
