"""Bodies, answers, names and paths that no client of good will sends: refused with a reason, and nothing changes."""

from __future__ import annotations

import json
from uuid import uuid4

import httpx

from services.bot.policies import policy
from services.bot.policies.base import chance_of
from services.verifier.plan import Run
from services.verifier.replies import code_of, short
from services.verifier.room import Room
from services.verifier.wrong import BLANKS, CONTENT_TYPES, NAMES, PATHS, UNREADABLE, mutants

MUTANTS = 60
"""Spoilt answers to one question."""
KINDS = 10
"""Kinds of questions to which answers are spoilt."""


def check(run: Run) -> None:
    """All of it, against a running room and a lobby."""
    client = run.client()
    room = run.room(seats=2, last_turn=3)
    room.sit("atreides")
    room.sit("harkonnen")
    room.start(3 if run.plan.scenarios else None)
    parts = (_bodies, _answers, _twice, _names, _paths)
    for done, part in enumerate(parts):
        run.step(done, len(parts), part.__name__.strip("_"))
        part(run, client, room)


def _takers(run: Run, room: Room) -> list[tuple[str, str, str]]:
    """Every operation that takes a body, with a token that may use it."""
    lobby = run.room(seats=3)
    lobby.sit("guild")
    found = [
        ("POST", "/api/rooms", ""),
        ("POST", f"{lobby.path}/seats", ""),
        ("POST", f"{lobby.path}/bots", lobby.host),
        ("PATCH", f"{lobby.path}/seats/1", lobby.tokens["guild"]),
        ("PATCH", f"{lobby.path}/settings", lobby.host),
        ("POST", f"{lobby.path}/start", lobby.host),
        ("POST", f"{lobby.path}/seats/1/tokens", lobby.tokens["guild"]),
        ("POST", f"{room.path}/actions", room.tokens["atreides"]),
        ("POST", f"{room.path}/check", room.tokens["atreides"]),
    ]
    return [*found, ("POST", "/api/scenarios", "")] if run.plan.scenarios else found


def _bodies(run: Run, client: httpx.Client, room: Room) -> None:
    before = _seen(room)
    wrong = list(UNREADABLE.items())
    for method, path, token in _takers(run, room):
        chosen = run.chance(path).sample(wrong, 6) if run.plan.quick else wrong
        for what, body in chosen:
            reply = _send(client, method, path, body, token)
            right = reply.status_code in (400, 413) and code_of(reply) in ("malformed", "too_large")
            _say(run, right, reply, f"{method} {path} with {what}", "400 malformed, or 413 too_large")
        for kind in CONTENT_TYPES:
            reply = _send(client, method, path, b"{}", token, **{"content-type": kind})
            _say(run, reply.status_code == 400, reply, f"{method} {path} as {kind or 'nothing'}", "400")
        reply = _send(client, method, path, b"\x1f\x8b\x08", token, **{"content-encoding": "gzip"})
        _say(run, reply.status_code == 400, reply, f"{method} {path} packed", "400")
        for body in (b'{"x": "' + b"x" * 300_000 + b'"}', b" " * 300_000):
            reply = _send(client, method, path, body, token)
            _say(run, reply.status_code == 413, reply, f"{method} {path} with 300 kB", "413")
    run.expect(_seen(room) == before, "the room changed", "bodies that cannot be read", "nothing changes")


def _answers(run: Run, client: httpx.Client, room: Room) -> None:
    """Whatever is made of a good answer is taken as it is or refused, never half."""
    kinds: set[str] = set()
    for _ in range(40):
        found = next(((seat, *asked) for seat in room.tokens if (asked := room.asked(seat))), None)
        if found is None or len(kinds) >= (3 if run.plan.quick else KINDS):
            break
        seat, seen, offer = found
        good = policy("easy").decide(seen, offer, chance_of(seen, offer))
        if offer.kind not in kinds:
            kinds.add(offer.kind)
            _spoilt(run, room, seat, offer.id, good)
        room.act(seat, offer.id, good)


def _spoilt(run: Run, room: Room, seat: str, offer: str, good: object) -> None:
    before = _seen(room)
    every = list(mutants(good))
    for odd in run.chance(offer).sample(every, min(len(every), 12 if run.plan.quick else MUTANTS)):
        body = {"offer": offer, "answer": odd}
        checked = room.call("POST", f"{room.path}/check", body, room.tokens[seat])
        run.count("spoilt answers")
        if checked.status_code == 200:
            continue
        where = f"trying {str(odd)[:60]!r}"
        _say(run, checked.status_code in (400, 422), checked, where, "200, 400 or 422")
        acted = room.act(seat, offer, odd)
        alike = (acted.status_code, acted.content) == (checked.status_code, checked.content)
        _say(
            run, alike, acted, f"answering {str(odd)[:60]!r}", f"as when it was tried: {checked.status_code}"
        )
    run.expect(_seen(room) == before, "the room changed", "answers that fit no offer", "nothing changes")


TWICE = (
    b'{"command_id": "%(first)s", "command_id": "%(second)s", "offer": "no", "offer": "%(offer)s", '
    b'"answer": {"no": 1}, "answer": %(answer)s}'
)


def _twice(run: Run, client: httpx.Client, room: Room) -> None:
    """Of a field that is named twice the last counts: no part may read another one of the two."""
    found = next(((seat, choice) for seat in room.tokens if (choice := room.choice(seat))), None)
    if found is None:
        return
    seat, (offer, answer) = found
    first, second = str(uuid4()), str(uuid4())
    names = {"first": first, "second": second, "offer": offer.id, "answer": json.dumps(answer)}
    path, token = f"{room.path}/actions", room.tokens[seat]
    body = TWICE % {name.encode(): value.encode() for name, value in names.items()}
    done = _send(client, "POST", path, body, token)
    room.told(seat, second, done)
    _say(run, done.status_code == 200, done, "a body with every field twice", "the last of each counts: 200")
    again = room.act(seat, offer.id, answer, second)
    _say(run, again.status_code == 200, again, "the same command again", "200")
    other = {"command_id": first, "offer": offer.id, "answer": {"else": 1}}
    unused = room.call("POST", path, other, token)
    right = code_of(unused) not in ("", "command_used")
    _say(run, right, unused, "the first of two command ids", "unused: 409 stale or 422")


def _names(run: Run, client: httpx.Client, room: Room) -> None:
    lobby = run.room(seats=6)
    lobby.sit("guild")
    token = lobby.tokens["guild"]
    for sent, shown in NAMES.items():
        reply = lobby.call("PATCH", f"{lobby.path}/seats/1", {"name": sent}, token)
        kept = lobby.call("GET", lobby.path).json()["seats"][0]["name"]
        right = reply.status_code == 200 and kept == shown
        run.expect(
            right, f"{reply.status_code}, {kept!r}", f"a seat named {sent!r}", f"200, shown as {shown!r}"
        )
    for blank in BLANKS:
        reply = lobby.call("PATCH", f"{lobby.path}/seats/1", {"name": blank}, token)
        _say(
            run, reply.status_code == 400, reply, f"a seat named {blank!r}", "400: nothing can be seen of it"
        )
    long_ = lobby.call("PATCH", f"{lobby.path}/seats/1", {"name": "x" * 61}, token)
    _say(run, long_.status_code == 400, long_, "a name of 61 letters", "400")


def _paths(run: Run, client: httpx.Client, room: Room) -> None:
    token, before = room.tokens["atreides"], _seen(room)
    for path in PATHS:
        reply = _send(client, "GET", path.replace("{code}", room.code), None, token)
        # What is no address may be refused by a proxy in front, before it arrives.
        _say(run, reply.status_code in (400, 404, 409, 414), reply, f"GET {path[:60]}", "400, 404 or 409")
    for number in ("0", "-1", "7", "9" * 30, "1.5", "one", "%00", "%EF%BC%91"):
        for method, below in (("PATCH", ""), ("DELETE", ""), ("POST", "/tokens")):
            body = None if method == "DELETE" else b"{}"
            reply = _send(client, method, f"{room.path}/seats/{number}{below}", body, room.host)
            right = reply.status_code in (400, 403, 404, 409)
            _say(run, right, reply, f"{method} seat {number}{below}", "400, 403, 404 or 409")
    run.expect(_seen(room) == before, "the room changed", "addresses that name nothing", "nothing changes")


def _seen(room: Room) -> list[bytes]:
    """What the room shows to everybody."""
    whole = [
        room.call("GET", f"{room.path}/view", token=token).content for token in (*room.tokens.values(), "")
    ]
    return [room.call("GET", room.path).content, *whole]


def _send(
    client: httpx.Client, method: str, path: str, body: bytes | None, token: str, **headers: str
) -> httpx.Response:
    headers = {"content-type": "application/json"} | headers
    if token:
        headers["authorization"] = f"Bearer {token}"
    return client.request(method, path, content=body, headers=headers)


def _say(run: Run, holds: bool, reply: httpx.Response, where: str, expected: str) -> None:
    run.expect(holds, f"{reply.status_code} {short(reply)}", where, expected)
