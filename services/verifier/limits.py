"""The limits that are published, and that they are honoured: neither less is taken nor more."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import httpx

from services.verifier.plan import CannotRunError, Run
from services.verifier.replies import code_of, short
from services.verifier.room import Room, plain_client
from services.verifier.streams import NDJSON

RATES = ("create", "join", "lobby", "act", "read", "stream")
NUMBERS = (
    "body_bytes",
    "scenario_bytes",
    "json_depth",
    "head_bytes",
    "head_seconds",
    "body_seconds",
    "stalled_seconds",
    "connections",
    "streams_per_client",
    "tokens_per_seat",
    "resume_changes",
    "keepalive_seconds",
)
REPLICAS = 4
"""What is counted by each process may be granted by so many of them behind one address."""
MOST_TRIES = 1500
"""A burst that is larger is not tried out."""


def check(run: Run) -> None:
    """One limit after another."""
    client, hasty = run.client(), run.client(patient=False)
    reply = client.get("/api/limits")
    if reply.status_code != 200:
        run.found(f"{reply.status_code} {short(reply)}", "GET /api/limits", "200")
        return
    published = reply.json()
    missing = [name for name in NUMBERS if not isinstance(published.get(name), int | float)]
    if missing or "rates" not in published:
        run.found(f"without {', '.join(missing) or 'rates'}", "GET /api/limits", "every limit")
        raise CannotRunError("the limits are not published")
    room = run.room(seats=2)
    room.sit("guild")
    room.sit("emperor")
    room.start(None)
    for done, part in enumerate((_size, _depth, _tokens, _streams, _rates)):
        run.step(done, 5, part.__name__.strip("_"))
        part(run, hasty if part is _rates else client, room, published)


def _size(run: Run, client: httpx.Client, room: Room, published: dict[str, Any]) -> None:
    """A body as large as is published is read; one byte more is too large."""
    most = published["body_bytes"]
    for size, fits in ((most, True), (most + 1, False)):
        body = b'{"name":"x"}'.ljust(size)
        reply = _post(client, "/api/rooms", body)
        right = reply.status_code == 201 if fits else reply.status_code == 413
        wanted = "201" if fits else "413"
        run.expect(right, f"{reply.status_code} {short(reply)}", f"a body of {size} bytes", wanted)


def _depth(run: Run, client: httpx.Client, room: Room, published: dict[str, Any]) -> None:
    """JSON as deep as is published is read; one level deeper is refused as malformed."""
    most = published["json_depth"]
    for depth in (most, most + 1):
        deep = b"[" * (depth - 1) + b"]" * (depth - 1)
        body = b'{"offer":"none","answer":' + deep + b"}"
        reply = _post(client, f"{room.path}/check", body, room.tokens["guild"])
        refused = reply.status_code == 400 and code_of(reply) == "malformed"
        wanted = "400 malformed" if depth > most else "no 400: that deep it may be"
        run.expect(
            refused == (depth > most), f"{reply.status_code} {short(reply)}", f"{depth} levels", wanted
        )


def _tokens(run: Run, client: httpx.Client, room: Room, published: dict[str, Any]) -> None:
    """A seat has as many tokens as is published: its first one, and those that it asks for."""
    more = published["tokens_per_seat"] - 1
    path, mine = f"{room.path}/seats/1/tokens", room.tokens["guild"]
    codes = [room.call("POST", path, {"scope": "seat:observe"}, mine) for _ in range(more + 1)]
    statuses = [reply.status_code for reply in codes]
    right = statuses == [201] * more + [409] and code_of(codes[-1]) == "too_many_tokens"
    run.expect(
        right, f"{statuses}", "further tokens of a seat", f"{more} times 201, then 409 too_many_tokens"
    )


def _streams(run: Run, client: httpx.Client, room: Room, published: dict[str, Any]) -> None:
    """Streams at once: as many as is published, and not many more; one that ends makes room for another."""
    most = published["streams_per_client"]
    # Opening them is itself counted.
    least = min(most, int(published["rates"].get("stream", {"burst": most})["burst"] * 0.9))
    headers = {"accept": NDJSON, "authorization": f"Bearer {room.tokens['guild']}"}
    opened = 0
    with ExitStack() as open_, plain_client(run.plan.url) as other:
        open_.callback(other.close)
        refused = 0
        for _ in range(min(most * REPLICAS, 60) + 1):
            reply = open_.enter_context(other.stream("GET", f"{room.path}/stream", headers=headers))
            if reply.status_code == 429:
                refused = 429
                break
            opened += reply.status_code == 200
    if refused:
        run.expect(opened >= least, f"{opened} opened", "streams at once", f"{least} for one client")
    else:
        run.expect(
            most * REPLICAS > 60, f"{opened} opened", "streams at once", f"no more than {most} for one client"
        )
    again = run.client(patient=False)
    with again.stream("GET", f"{room.path}/stream", headers=headers) as reply:
        run.expect(
            reply.status_code in (200, 429), f"{reply.status_code}", "a stream after others ended", "200"
        )


def _rates(run: Run, client: httpx.Client, _: Room, published: dict[str, Any]) -> None:
    """Whoever asks too often is told to wait, and for how long; who plays has limits of their own."""
    rates = published["rates"]
    if not rates:
        run.count("rates that are lifted")
        return
    missing = [name for name in RATES if name not in rates]
    run.expect(
        not missing, f"without {', '.join(missing)}", "GET /api/limits", "a rate for each kind of request"
    )
    burst = rates["lobby"]["burst"]
    if burst * REPLICAS > MOST_TRIES:
        run.count("rates too high to try")
        return
    # A lobby of its own: in a game nobody changes seats, and nobody has used its token up.
    lobby = run.room(seats=2)
    lobby.sit("guild")
    mine = {"authorization": f"Bearer {lobby.tokens['guild']}"}
    for tries in range(int(burst * REPLICAS) * 2):
        reply = client.patch(f"{lobby.path}/seats/1", json={"ready": True}, headers=mine)
        if reply.status_code == 429:
            run.expect(
                tries >= burst * 0.9, f"429 after {tries}", "a burst of requests", f"{burst:g} at once"
            )
            break
        run.expect(
            reply.status_code == 200,
            f"{reply.status_code} {short(reply)}",
            "a burst of requests",
            "200 or 429",
        )
    else:
        run.found("never told to wait", "a burst of requests", f"429 beyond {burst:g} at once")
    host = {"authorization": f"Bearer {lobby.host}"}
    other = client.get(lobby.path, headers=host)
    run.expect(other.status_code == 200, f"{other.status_code}", "another's request beside a flood", "200")


def _post(client: httpx.Client, path: str, body: bytes, token: str = "") -> httpx.Response:
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    return client.post(path, content=body, headers=headers)
