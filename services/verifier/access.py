"""Every operation with every kind of token: what is open, what is not, and that a refusal changes nothing."""

from __future__ import annotations

from collections.abc import Generator

import httpx

from services.verifier.plan import Run
from services.verifier.replies import short
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
from services.verifier.room import WrongReplyError
from services.verifier.streams import NDJSON

STAGED = ("/table", "/expire", "/scenarios")
"""Operations that need a deployment with scenarios."""
HEADERS = ("Bearer", "Basic eDp5", "Bearer .", "Bearer " + "x." * 4000, "\xff\xfe")
"""Authorization headers that are no token."""


def check(run: Run) -> None:
    """Both tables of rights, and headers that are no token."""
    client = run.client()
    _named(run, client)
    both = (("running", RUNNING), ("lobby", LOBBY))
    for name, rows in both[:1] if run.plan.quick else both:
        place = (_running if rows is RUNNING else _lobby)(run, client)
        usable = [row for row in rows if run.plan.scenarios or not row[1].endswith(STAGED)]
        for number, row in enumerate(usable):
            run.step(number, len(usable), f"{name} {row[1]}")
            _row(run, client, place, row)
    _no_tokens(run, client, _lobby(run, client))


def _named(run: Run, client: httpx.Client) -> None:
    """An operation that nobody has said the rights of would go unjudged."""
    paths = client.get("/api/openapi.json").json()["paths"]
    operations = {(method, path) for path, methods in paths.items() for method in methods}
    unknown = operations - {(row[0], f"/api{row[1]}") for row in RUNNING}
    run.expect(not unknown, f"{sorted(unknown)}", "the API document", "operations whose rights are known")


def _row(run: Run, client: httpx.Client, place: Place, row: Row) -> None:
    """First what is refused, then what is done: between two looks nothing may have changed."""
    before: list[bytes] | None = _looks(client, place)
    refused = [kind for kind in KINDS if expected(row, kind) >= 400]
    for kind in (*refused, *(kind for kind in KINDS if kind not in refused)):
        if refused and kind not in refused and before is not None:
            same = _looks(client, place) == before
            run.expect(same, "something changed", f"{row[0].upper()} {row[1]} refused", "nothing changes")
            before = None
        status, text = _send(client, place, row, place.tokens[kind])
        where = f"{row[0].upper()} {row[1]} with a token of kind '{kind}'"
        run.expect(status == expected(row, kind), f"{status} {text}", where, str(expected(row, kind)))


def _looks(client: httpx.Client, place: Place) -> list[bytes]:
    """What the room and its views say now."""
    tokens = [place.tokens[kind] for kind in ("none", "own", "other")]
    return [
        client.get(f"/api/rooms/{place.code}{path}", headers=_bearer(token)).content
        for path in ("", "/view")
        for token in tokens
    ]


def _send(client: httpx.Client, place: Place, row: Row, token: str) -> tuple[int, str]:
    """The request of a row: status, and the beginning of an error. Of a stream only its head is read."""
    path = "/api" + place.filled(row[1])
    if path.endswith("/stream"):
        headers = {"accept": NDJSON} | _bearer(token)
        with client.stream("GET", path, headers=headers) as reply:
            return reply.status_code, ""
    reply = client.request(row[0].upper(), path, json=body_of(row[2]), headers=_bearer(token))
    return reply.status_code, short(reply) if reply.status_code >= 400 else ""


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


def _no_tokens(run: Run, client: httpx.Client, place: Place) -> None:
    before, other = _looks(client, place), run.client()
    for header in HEADERS:
        for row in RUNNING[::4] if run.plan.quick else RUNNING:
            if row[0] == "get" or "{code}" not in row[1]:
                continue
            # Behind a proxy a header that is no text may be refused before it arrives: with 400 as well.
            raw = [(b"authorization", header.encode("latin-1"))]
            reply = other.request(
                row[0].upper(), "/api" + place.filled(row[1]), json=body_of(row[2]), headers=raw
            )
            where = f"{row[0].upper()} {row[1]} with the header {header[:20]!r}"
            run.expect(reply.status_code in (400, 401, 431), f"{reply.status_code}", where, "400 or 401")
    run.expect(
        _looks(client, place) == before, "something changed", "headers that are no token", "nothing changes"
    )


# ---------------------------------------------------------------------- places


def _right(reply: httpx.Response, status: int) -> dict[str, str]:
    if reply.status_code != status:
        raise WrongReplyError(reply, status)
    found: dict[str, str] = reply.json()
    return found


def _running(run: Run, client: httpx.Client) -> Place:
    """A running room, staged where that is possible, and another whose tokens are worth nothing in it."""
    rooms = []
    for _ in range(2):
        if run.plan.scenarios:
            staged = client.post("/api/scenarios", json={"table": TABLE})
            _right(staged, 201)
            made = staged.json()
            rooms.append(
                (made["code"], made["host_token"], made["seats"]["atreides"], made["seats"]["harkonnen"])
            )
        else:
            room = run.room(seats=2)
            room.sit("atreides")
            room.sit("harkonnen")
            room.start(None)
            rooms.append((room.code, room.host, room.tokens["atreides"], room.tokens["harkonnen"]))
    (code, host, own, other), (_, away, away_seat, _) = rooms
    return _placed(client, with_tokens(code, 1, own, other, host, away, away_seat))


def _lobby(run: Run, client: httpx.Client) -> Place:
    """A room in which two wait, and another."""
    rooms = []
    for _ in range(2):
        made = _right(client.post("/api/rooms", json={"name": "here", "player": "Ann"}), 201)
        path = f"/api/rooms/{made['code']}/seats"
        rooms.append(
            (made, _right(client.post(path, json={"name": "Ben", "faction": "guild"}), 201)["token"])
        )
    (here, other), (away, _) = rooms
    steps = with_tokens(
        here["code"], 1, here["seat_token"], other, here["host_token"], away["host_token"], away["seat_token"]
    )
    return _placed(client, steps)


def _placed(client: httpx.Client, steps: Generator[Asked, dict[str, str], Place]) -> Place:
    """Send what the place needs."""
    asked = next(steps)
    while True:
        sent = client.request(
            asked.method, f"/api{asked.path}", json=asked.body, headers=_bearer(asked.token)
        )
        try:
            asked = steps.send(_right(sent, asked.status))
        except StopIteration as done:
            place: Place = done.value
            return place
