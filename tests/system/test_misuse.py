"""Bodies that no client of good will sends: each is refused with a reason, changes nothing, and troubles nobody."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import uuid4

import pytest

from services.bot.policies import policy
from services.bot.policies.base import chance_of
from services.embedded import Deployment
from services.verifier.room import Room
from services.verifier.wrong import CONTENT_TYPES, UNREADABLE, mutants
from tests.system.doors import Doors, refused, stored, whole

pytestmark = pytest.mark.slow


@pytest.fixture
async def doors(deployment: Deployment) -> AsyncIterator[Doors]:
    async with Doors(deployment) as made:
        yield made


@pytest.fixture
def room(deployment: Deployment) -> Iterator[Room]:
    with Room(deployment.url, seats=2, last_turn=3) as made:
        made.sit("atreides")
        made.sit("harkonnen")
        made.start(3)
        yield made


def takers(room: Room) -> list[tuple[str, str, str]]:
    """Every operation that takes a body, with a token that may use it."""
    seat, path = room.tokens["atreides"], f"/rooms/{room.code}"
    lobby = Room(str(room.client.base_url), seats=3)
    with lobby:
        lobby.sit("guild")
    waiting = f"/rooms/{lobby.code}"
    return [
        ("POST", "/rooms", ""),
        ("POST", f"{waiting}/seats", ""),
        ("POST", f"{waiting}/bots", lobby.host),
        ("PATCH", f"{waiting}/seats/1", lobby.tokens["guild"]),
        ("PATCH", f"{waiting}/settings", lobby.host),
        ("POST", f"{waiting}/start", lobby.host),
        ("POST", f"{waiting}/seats/1/tokens", lobby.tokens["guild"]),
        ("POST", f"{path}/actions", seat),
        ("POST", f"{path}/check", seat),
        ("POST", "/scenarios", ""),
    ]


async def test_bodies_that_cannot_be_read(doors: Doors, deployment: Deployment, room: Room) -> None:
    calls = takers(room)
    before = stored(deployment)
    for method, path, token in calls:
        for what, body in UNREADABLE.items():
            reply = await doors.call(0, method, path, body, token)
            assert refused(reply, 400, 413) in ("malformed", "too_large"), (path, what)
        for kind in CONTENT_TYPES:
            reply = await doors.call(0, method, path, b"{}", token, **{"content-type": kind})
            assert refused(reply, 400) == "malformed", (path, kind)
        for body in (b'{"x": "' + b"x" * 300_000 + b'"}', b" " * 300_000):
            assert refused(await doors.call(0, method, path, body, token), 413) == "too_large", path
        packed = await doors.call(0, method, path, b"\x1f\x8b\x08", token, **{"content-encoding": "gzip"})
        assert refused(packed, 400) == "malformed"
    assert stored(deployment) == before


TWICE = (
    b'{"command_id": "%(first)s", "command_id": "%(second)s", "offer": "no", "offer": "%(offer)s", '
    b'"answer": {"no": 1}, "answer": %(answer)s}'
)


async def test_of_a_field_that_is_named_twice_the_last_counts(
    doors: Doors, deployment: Deployment, room: Room
) -> None:
    """Both what is checked and what is kept: no part of the service may read another one of the two."""
    found = next((seat, room.choice(seat)) for seat in room.tokens if room.choice(seat))
    seat, (offer, answer) = found[0], found[1] or (None, None)
    assert offer is not None
    first, second = str(uuid4()), str(uuid4())
    filled = {
        b"first": first.encode(),
        b"second": second.encode(),
        b"offer": offer.id.encode(),
        b"answer": json.dumps(answer).encode(),
    }
    path = f"/rooms/{room.code}/actions"
    done = await doors.call(0, "POST", path, TWICE % filled, room.tokens[seat])
    assert done.json() == {"ok": True}
    again = {"command_id": second, "offer": offer.id, "answer": answer}
    assert (await doors.call(0, "POST", path, again, room.tokens[seat])).json() == {"ok": True}
    unused = {"command_id": first, "offer": offer.id, "answer": {"else": 1}}
    assert refused(await doors.call(0, "POST", path, unused, room.tokens[seat]), 409, 422)


async def test_answers_that_fit_no_offer(doors: Doors, deployment: Deployment, room: Room) -> None:
    """Through a part of a game: whatever is made of a good answer is accepted as it is or refused, never half."""
    statuses: Counter[int] = Counter()
    kinds: set[str] = set()
    for _ in range(40):
        asked = [(seat, *found) for seat in room.tokens if (found := room.asked(seat))]
        if not asked:
            break
        seat, seen, offer = asked[0]
        answer = policy("easy").decide(seen, offer, chance_of(seen, offer))
        if offer.kind not in kinds:
            kinds.add(offer.kind)
            statuses += await tried(doors, deployment, room, seat, offer.id, answer)
        assert room.answer(seat)
    assert len(kinds) >= 8, kinds
    assert statuses[422] > 300
    whole(deployment)


async def tried(
    doors: Doors, sietch: Deployment, room: Room, seat: str, offer: str, answer: Any
) -> Counter[int]:
    """Check every mutant; those that are refused are refused as actions too, and nothing has changed then."""
    found: Counter[int] = Counter()
    path, token = f"/rooms/{room.code}", room.tokens[seat]
    before = stored(sietch)
    for number, odd in enumerate(list(mutants(answer))[:120]):
        body = {"offer": offer, "answer": odd}
        reply = await doors.call(0, "POST", f"{path}/check", body, token)
        found[reply.status_code] += 1
        if reply.status_code == 200:
            continue
        refused(reply, 400, 422)
        if number % 4 == 0:
            acted = await doors.call(
                0, "POST", f"{path}/actions", {"command_id": str(uuid4()), **body}, token
            )
            assert (acted.status_code, acted.content) == (reply.status_code, reply.content)
    assert stored(sietch) == before
    return found


async def test_paths_and_parameters_that_name_nothing(
    doors: Doors, deployment: Deployment, room: Room
) -> None:
    host, big = room.host, "9" * 30
    path = f"/rooms/{room.code}"
    before = stored(deployment)
    for wrong in (
        "/rooms/%00",
        "/rooms/%ff",
        "/rooms/" + "A" * 6000,
        "/rooms/..%2f..",
        "/rooms/ABC234%0d%0aX: y",
    ):
        assert refused(await doors.call(0, "GET", wrong), 400, 404)
    for number in ("0", "-1", "7", big, "1.5", "one", "%00", "１"):
        for method in ("PATCH", "DELETE"):
            body = {} if method == "PATCH" else None
            refused(await doors.call(0, method, f"{path}/seats/{number}", body, host), 400, 404, 409)
        tokens = f"{path}/seats/{number}/tokens"
        refused(await doors.call(0, "POST", tokens, {"scope": "seat:play"}, host), 400, 403, 404)
    for after in ("-1", big, "x", "1e3", "%00", "٣"):
        reply = await doors.call(0, "GET", f"{path}/stream?after={after}")
        refused(reply, 400)
        refused(await doors.call(0, "GET", f"{path}/history?after={after}"), 400, 409)
    for offer in ("%00", "x" * 4000, "%e2%80%ae", "%2e%2e"):
        reply = await doors.call(0, "GET", f"{path}/offers/{offer}", token=room.tokens["atreides"])
        refused(reply, 400, 404, 409)
    for method in ("PUT", "TRACE", "PROPFIND"):
        assert refused(await doors.call(0, method, path), 405) == "not_allowed"
    assert stored(deployment) == before
