"""Every operation of the API with every kind of token: what is open, what is not, and that refusals change nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator

import httpx
import pytest

from services.embedded import Deployment
from services.verifier.rights import (
    KINDS,
    LOBBY,
    RUNNING,
    TABLE,
    Asked,
    Place,
    Row,
    body_of,
    expected,
    with_tokens,
)
from tests.system.doors import Doors, refused, stored

pytestmark = pytest.mark.slow


@pytest.fixture
async def doors(deployment: Deployment) -> AsyncIterator[Doors]:
    async with Doors(deployment) as made:
        yield made


async def running(doors: Doors) -> Place:
    """A staged room, in which every route can be reached."""
    here = (await doors.call(0, "POST", "/scenarios", {"table": TABLE})).json()
    away = (await doors.call(0, "POST", "/scenarios", {"table": TABLE})).json()
    own, other = here["seats"]["atreides"], here["seats"]["harkonnen"]
    steps = with_tokens(
        here["code"], 1, own, other, here["host_token"], away["host_token"], away["seats"]["atreides"]
    )
    return await placed(doors, steps)


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
    steps = with_tokens(
        here["code"], 1, here["seat_token"], other, here["host_token"], away["host_token"], away["seat_token"]
    )
    return await placed(doors, steps)


async def placed(doors: Doors, steps: Generator[Asked, dict[str, str], Place]) -> Place:
    """Send what the place needs."""
    asked = next(steps)
    while True:
        reply = await doors.call(0, asked.method, asked.path, asked.body, asked.token)
        assert reply.status_code == asked.status, reply.text
        try:
            asked = steps.send(reply.json())
        except StopIteration as done:
            place: Place = done.value
            return place


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
