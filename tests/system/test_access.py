"""Every operation of the API with every kind of token: what is open, what is not, and that refusals change nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from services.embedded import Deployment
from tests.system.doors import Doors, refused, stored

pytestmark = pytest.mark.slow

KINDS = ("none", "invented", "revoked", "foreign host", "foreign seat", "host", "own", "other", "observe")
TABLE = {"seats": ["atreides", "harkonnen"], "phase": "storm"}

Row = tuple[str, str, object, str]
"""Method, path below /api, body, statuses: no token, an invalid one, the host's, the seat's, another's, observe."""

RUNNING: list[Row] = [
    ("post", "/rooms", {"name": "x"}, "201 201 201 201 201 201"),
    ("get", "/rooms", None, "200 200 200 200 200 200"),
    ("get", "/limits", None, "200 200 200 200 200 200"),
    ("get", "/rooms/{code}", None, "200 401 200 200 200 200"),
    ("post", "/rooms/{code}/seats", {"name": "x"}, "409 401 409 409 409 409"),
    ("post", "/rooms/{code}/bots", {}, "401 401 409 403 403 403"),
    ("patch", "/rooms/{code}/seats/{seat}", {"name": "x"}, "401 401 200 200 403 403"),
    ("delete", "/rooms/{code}/seats/{seat}", None, "401 401 409 409 403 403"),
    ("patch", "/rooms/{code}/settings", {"last_turn": 3}, "401 401 409 403 403 403"),
    ("post", "/rooms/{code}/start", {}, "401 401 409 403 403 403"),
    ("post", "/rooms/{code}/seats/{seat}/tokens", {"scope": "seat:play"}, "401 401 403 201 403 403"),
    ("delete", "/rooms/{code}/seats/{seat}/tokens/{token}", None, "401 401 403 404 403 403"),
    ("post", "/rooms/{code}/actions", "action", "401 401 403 409 409 403"),
    ("post", "/rooms/{code}/check", "check", "401 401 403 409 409 403"),
    ("get", "/rooms/{code}/offers/{offer}", None, "401 401 403 409 409 403"),
    ("get", "/rooms/{code}/view", None, "200 401 200 200 200 200"),
    ("get", "/rooms/{code}/stream", None, "200 401 200 200 200 200"),
    ("get", "/rooms/{code}/history", None, "409 401 409 409 409 409"),
    ("get", "/rooms/{code}/table", None, "401 401 200 403 403 403"),
    ("post", "/rooms/{code}/expire", {"seat": "atreides", "offer": "no"}, "401 401 409 403 403 403"),
    ("post", "/scenarios", {"table": TABLE}, "201 201 201 201 201 201"),
]
LOBBY: list[Row] = [
    ("get", "/rooms/{code}", None, "200 401 200 200 200 200"),
    ("post", "/rooms/{code}/seats", {"name": "x", "faction": "guild"}, "409 401 409 409 409 409"),
    ("post", "/rooms/{code}/bots", {"faction": "guild"}, "401 401 409 403 403 403"),
    ("patch", "/rooms/{code}/seats/{seat}", {"ready": True}, "401 401 200 200 403 403"),
    ("patch", "/rooms/{code}/settings", {"last_turn": 3}, "401 401 200 403 403 403"),
    ("post", "/rooms/{code}/start", {"force": False}, "401 401 409 403 403 403"),
    ("post", "/rooms/{code}/seats/{seat}/tokens", {"scope": "seat:observe"}, "401 401 403 201 403 403"),
    ("post", "/rooms/{code}/actions", "action", "401 401 403 409 409 403"),
    ("post", "/rooms/{code}/check", "check", "401 401 403 409 409 403"),
    ("get", "/rooms/{code}/offers/{offer}", None, "401 401 403 409 409 403"),
    ("get", "/rooms/{code}/view", None, "409 401 409 409 409 409"),
    ("get", "/rooms/{code}/stream", None, "200 401 200 200 200 200"),
    ("get", "/rooms/{code}/history", None, "409 401 409 409 409 409"),
    ("get", "/rooms/{code}/table", None, "401 401 404 403 403 403"),
    ("post", "/rooms/{code}/expire", {"seat": "guild", "offer": "no"}, "401 401 404 403 403 403"),
]


class Place:
    """A room with tokens of every kind."""

    def __init__(self, code: str, seat: int, tokens: dict[str, str]) -> None:
        self.code = code
        self.seat = seat
        self.tokens = tokens

    def filled(self, path: str) -> str:
        """A path of the document with this room's values in it."""
        names = {"code": self.code, "seat": str(self.seat), "token": str(UUID(int=7)), "offer": "no-such"}
        for name, value in names.items():
            path = path.replace("{" + name + "}", value)
        return path


@pytest.fixture
async def doors(deployment: Deployment) -> AsyncIterator[Doors]:
    async with Doors(deployment) as made:
        yield made


async def running(doors: Doors) -> Place:
    """A staged room, in which every route can be reached."""
    here = (await doors.call(0, "POST", "/scenarios", {"table": TABLE})).json()
    away = (await doors.call(0, "POST", "/scenarios", {"table": TABLE})).json()
    own, other = here["seats"]["atreides"], here["seats"]["harkonnen"]
    return await with_tokens(
        doors, here["code"], 1, own, other, here["host_token"], away["host_token"], away["seats"]["atreides"]
    )


async def lobby(doors: Doors) -> Place:
    """A room in which two wait; both have said what they want to play."""
    rooms = []
    for _ in range(2):
        made = (await doors.call(0, "POST", "/rooms", {"name": "here", "player": "Ann"})).json()
        joined = await doors.call(
            0, "POST", f"/rooms/{made['code']}/seats", {"name": "Ben", "faction": "guild"}
        )
        rooms.append((made, joined.json()["token"]))
    (here, other), (away, _) = rooms
    return await with_tokens(
        doors,
        here["code"],
        1,
        here["seat_token"],
        other,
        here["host_token"],
        away["host_token"],
        away["seat_token"],
    )


async def with_tokens(
    doors: Doors, code: str, seat: int, own: str, other: str, host: str, foreign_host: str, foreign_seat: str
) -> Place:
    path = f"/rooms/{code}/seats/{seat}/tokens"
    observe = (await doors.call(0, "POST", path, {"scope": "seat:observe"}, own)).json()
    revoked = (await doors.call(0, "POST", path, {"scope": "seat:play"}, own)).json()
    assert (await doors.call(0, "DELETE", f"{path}/{revoked['id']}", token=own)).status_code == 200
    tokens = {
        "none": "",
        "invented": "x" * 43,
        "revoked": revoked["token"],
        "foreign host": foreign_host,
        "foreign seat": foreign_seat,
        "host": host,
        "own": own,
        "other": other,
        "observe": observe["token"],
    }
    assert tuple(tokens) == KINDS
    return Place(code, seat, tokens)


def body_of(body: object) -> Any:
    """A body as the row says it."""
    action = {"offer": "no-such", "answer": {}}
    return {"action": {"command_id": str(uuid4()), **action}, "check": action}.get(str(body), body)


def expected(row: Row, kind: str) -> int:
    """The status that a row says for a kind of token."""
    none, invalid, *rest = (int(word) for word in row[3].split())
    known = dict(zip(("host", "own", "other", "observe"), rest, strict=True))
    return none if kind == "none" else known.get(kind, invalid)


async def send(doors: Doors, place: Place, row: Row, token: str = "", **headers: str) -> httpx.Response:
    """The request of a row; of a stream only its head."""
    path = place.filled(row[1])
    if not path.endswith("/stream"):
        return await doors.call(0, row[0].upper(), path, body_of(row[2]), token, **headers)
    return await doors.opening(0, path, token, **headers)


async def test_the_table_names_every_operation(doors: Doors) -> None:
    paths = (await doors.call(0, "GET", "/openapi.json")).json()["paths"]
    operations = {(method, path) for path, methods in paths.items() for method in methods}
    assert {(row[0], f"/api{row[1]}") for row in RUNNING} == operations


@pytest.mark.parametrize("rows", [RUNNING, LOBBY], ids=["running", "lobby"])
async def test_who_may_do_what(doors: Doors, deployment: Deployment, rows: list[Row]) -> None:
    place = await (running if rows is RUNNING else lobby)(doors)
    wrong, refusals = [], 0
    for row in rows:
        # First what is refused, then what is done: between two looks at the store nothing may have changed.
        before = stored(deployment)
        for kind in (kind for kind in KINDS if expected(row, kind) >= 400):
            reply = await send(doors, place, row, place.tokens[kind])
            refusals += 1
            if reply.status_code != expected(row, kind):
                wrong.append((*row[:2], kind, reply.status_code))
            refused(reply)
        assert stored(deployment) == before, row
        for kind in (kind for kind in KINDS if expected(row, kind) < 400):
            reply = await send(doors, place, row, place.tokens[kind])
            if reply.status_code != expected(row, kind):
                wrong.append((*row[:2], kind, reply.status_code))
    assert wrong == []
    assert refusals > 60


async def test_a_cookie_that_is_worth_nothing_is_no_token(doors: Doors, deployment: Deployment) -> None:
    place = await running(doors)
    for row in RUNNING:
        if "{code}" not in row[1]:
            continue
        before = stored(deployment)
        for kind in ("invented", "revoked", "foreign host", "foreign seat"):
            cookie = f"sietch_{place.code}={place.tokens[kind]}"
            reply = await send(doors, place, row, cookie=cookie)
            assert reply.status_code == expected(row, "none"), (row, kind)
        assert stored(deployment) == before
        # A token in the header is what counts, whatever the cookie says.
        good = f"sietch_{place.code}={place.tokens['host']}.{place.tokens['own']}"
        both = await send(doors, place, row, place.tokens["invented"], cookie=good)
        assert both.status_code == 401, row


@pytest.mark.parametrize(
    "header",
    ["Bearer", "Basic eDp5", "Bearer .", "Bearer " + "x." * 4000, "\xff\xfe"],
)
async def test_a_header_that_is_no_token(doors: Doors, deployment: Deployment, header: str) -> None:
    place = await running(doors)
    before = stored(deployment)
    raw = header.encode("latin-1")
    for row in RUNNING:
        if "{code}" in row[1] and row[0] != "get":
            reply = await doors.raw(0, row[0].upper(), place.filled(row[1]), body_of(row[2]), raw)
            assert reply.status_code in (400, 401), (row, reply.text)
    assert stored(deployment) == before


FOREIGN = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": "http://127.0.0.1"},
    {"origin": "http://["},
    {"origin": ""},
    {"sec-fetch-site": "cross-site"},
]


async def test_no_page_of_another_site_changes_anything(doors: Doors, deployment: Deployment) -> None:
    place = await running(doors)
    cookie = f"sietch_{place.code}={place.tokens['host']}.{place.tokens['own']}"
    before = stored(deployment)
    for row in RUNNING:
        if row[0] == "get":
            continue
        for headers in FOREIGN:
            reply = await send(doors, place, row, cookie=cookie, **headers)
            assert refused(reply, 403) == "not_yours", (row, headers)
            assert "access-control-allow-origin" not in reply.headers
        asked = await doors.call(0, "OPTIONS", place.filled(row[1]), origin="https://evil.example")
        assert refused(asked, 405) == "not_allowed"
        assert not any(name.startswith("access-control") for name in asked.headers)
    assert stored(deployment) == before
