"""The world over HTTP meets a deployment that is busy, broken or no deployment at all."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from services.cases import http
from services.cases.http import DeploymentError, HttpWorld
from services.rules.staging import MalformedError

STAGED = {"code": "ABCDEF", "host_token": "h", "seats": {"guild": "g"}}
VIEW = {"seq": 1, "log": [], "view": {"seat": None, "settings": {}, "turn": 2, "phase": "storm", "storm": 7}}


class Server:
    """Answers requests one after another with what the test lays out; keeps what was asked."""

    def __init__(self, *answers: httpx.Response) -> None:
        self.answers = list(answers)
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return self.answers.pop(0)


def world(handler: Callable[[httpx.Request], httpx.Response]) -> HttpWorld:
    client = httpx.Client(base_url="http://test", transport=httpx.MockTransport(handler))
    return HttpWorld(client, {"seats": ["guild"]})


def test_it_waits_as_long_as_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(http.time, "sleep", slept.append)
    busy = httpx.Response(429, headers={"retry-after": "0.5"}, json={"code": "too_many", "text": "wait"})
    away = httpx.Response(503, json={"code": "unavailable", "text": "wait"})
    server = Server(busy, httpx.Response(201, json=STAGED), away, busy, httpx.Response(200, json=VIEW))
    assert world(server).waiting() == []
    assert slept == [0.5, 1.0, 0.5]
    assert [request.url.path for request in server.asked[2:]] == ["/api/rooms/ABCDEF/view"] * 3


def test_it_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http.time, "sleep", lambda seconds: None)
    server = Server(*[httpx.Response(503, text="away")] * http.TRIES)
    with pytest.raises(DeploymentError, match="503 away"):
        world(server)
    assert server.answers == []


def test_a_malformed_table_is_the_cases_fault_and_anything_else_is_not() -> None:
    no = httpx.Response(422, json={"code": "malformed", "text": "table.step: none such"})
    with pytest.raises(MalformedError, match=r"table\.step: none such"):
        world(Server(no))
    for status, code in ((422, "no_scenarios"), (404, "no_scenarios"), (413, "too_large"), (500, "failed")):
        with pytest.raises(DeploymentError, match=f"{status}.*{code}"):
            world(Server(httpx.Response(status, json={"code": code, "text": "no"})))


def test_the_same_command_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that an answer whose first reply was lost acts once."""
    monkeypatch.setattr(http.time, "sleep", lambda seconds: None)
    asking = {
        "id": "o1",
        "seat": "guild",
        "kind": "bid",
        "why": "",
        "default": {},
        "choice": {"shape": "fields", "fields": {}},
    }
    view = {**VIEW, "view": {**VIEW["view"], "seat": "guild", "offers": [asking]}}  # type: ignore[dict-item]
    server = Server(
        httpx.Response(201, json=STAGED),
        httpx.Response(200, json=view),
        httpx.Response(503, text="away"),
        httpx.Response(200, json={"ok": True}),
        httpx.Response(200, json=VIEW),
    )
    staged = world(server)
    offer = staged.find("guild", "bid")
    assert offer is not None
    assert staged.act("guild", offer, {}) == ""
    first, second = server.asked[2:4]
    assert first.content == second.content
    assert staged.find("guild", "bid") is None, "what was read before the answer is forgotten"


def test_a_failure_of_the_deployment_is_no_refusal() -> None:
    server = Server(httpx.Response(201, json=STAGED), httpx.Response(500, text="failed"))
    with pytest.raises(DeploymentError, match="500 failed"):
        world(server).table()


def test_no_deployment_at_all() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with pytest.raises(DeploymentError, match="http://test cannot be reached"):
        world(refuse)


def test_a_seat_that_is_not_there_is_asked_nothing() -> None:
    staged = world(Server(httpx.Response(201, json=STAGED)))
    assert (staged.asked("fremen"), staged.standing("fremen"), staged.find("fremen", "bid")) == ([], [], None)
