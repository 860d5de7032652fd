"""What is sent again in a lobby is made once: rooms, seats and bots, through lost answers, crashes and two replicas."""

from __future__ import annotations

import asyncio
from pathlib import Path
from signal import SIGKILL
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest

from services.room import changes
from tests.chaos.dying import arm
from tests.service.room.processes import Dying
from tests.waiting import PATIENCE


def rooms(database_url: str) -> list[tuple[str, int, int]]:
    """Every room: its code, who sits there, and how many tokens the host has."""
    query = (
        "SELECT code, (SELECT count(*) FROM seats WHERE room = rooms.id AND kind <> 'open'), "
        "(SELECT count(*) FROM tokens WHERE room = rooms.id AND scope = 'room:host') FROM rooms"
    )
    with psycopg.connect(database_url) as connection:
        return [(str(code), int(sit), int(tokens)) for code, sit, tokens in connection.execute(query)]


async def test_the_same_again_is_the_same(server: Any, database_url: str) -> None:
    wish = {"player": "Ann", "settings": {"seats": 2}, "command_id": str(uuid4())}
    first, again = [(await server.call("POST", "/rooms", wish)).json() for _ in range(2)]
    assert (first["code"], first["seat"]) == (again["code"], again["seat"])
    assert rooms(database_url) == [(first["code"], 1, 2)]
    path = f"/rooms/{first['code']}"
    for made in (first, again):  # whichever of the two arrived is worth the same
        ready = await server.call("PATCH", f"{path}/seats/1", {"ready": True}, made["seat_token"])
        assert ready.status_code == 200
    bot = {"command_id": str(uuid4())}
    seats = [
        (await server.call("POST", f"{path}/bots", bot, made["host_token"])).json()["seat"]
        for made in (first, again)
    ]
    assert seats == [2, 2]


async def test_who_sits_down_again_sits_there_already_though_the_room_is_full_or_plays(server: Any) -> None:
    made = (await server.call("POST", "/rooms", {"player": "Ann", "settings": {"seats": 2}})).json()
    path, wish = f"/rooms/{made['code']}", {"name": "Ben", "command_id": str(uuid4())}
    tokens = []
    for state in ("free", "full", "running"):
        if state == "running":
            begun = await server.call("POST", f"{path}/start", {"force": True}, made["host_token"])
            assert begun.status_code == 200, begun.text
        joined = await server.call("POST", f"{path}/seats", wish)
        assert (joined.status_code, joined.json()["seat"]) == (201, 2), state
        tokens.append(joined.json()["token"])
    assert len(set(tokens)) == 3
    late = await server.call("POST", f"{path}/seats", {**wish, "command_id": str(uuid4())})
    assert (late.status_code, late.json()["code"]) == (409, "started")


async def test_an_id_stands_for_one_wish_and_gives_nobody_the_seat_of_another(server: Any) -> None:
    made = (await server.call("POST", "/rooms", {"command_id": str(uuid4())})).json()
    path, wish = f"/rooms/{made['code']}", {"name": "Ben", "command_id": str(uuid4())}
    ben = (await server.call("POST", f"{path}/seats", wish)).json()
    other = await server.call("POST", f"{path}/seats", {**wish, "name": "Cid"})
    bot = await server.call("POST", f"{path}/bots", {"command_id": wish["command_id"]}, made["host_token"])
    assert [(one.status_code, one.json()["code"]) for one in (other, bot)] == [(409, "command_used")] * 2
    await server.call("DELETE", f"{path}/seats/{ben['seat']}", token=ben["token"])
    assert (await server.call("POST", f"{path}/seats", {"name": "Cid"})).json()["seat"] == ben["seat"]
    again = await server.call("POST", f"{path}/seats", wish)
    assert (again.status_code, again.json()["code"]) == (409, "command_used")


async def test_an_id_is_worth_tokens_for_some_minutes_and_only_so_many(
    server: Any, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = (await server.call("POST", "/rooms", {})).json()
    path, wish = f"/rooms/{made['code']}/seats", {"name": "Ben", "command_id": str(uuid4())}
    told = [await server.call("POST", path, wish) for _ in range(17)]
    assert [one.status_code for one in told] == [201] * 16 + [409]
    assert told[-1].json()["code"] == "too_many_tokens"
    with psycopg.connect(database_url, autocommit=True) as connection:
        old = f"{changes.REPEAT_SECONDS + 1} seconds"
        connection.execute("UPDATE changes SET at = at - %s::interval", (old,))
        late = await server.call("POST", path, wish)
        assert (late.status_code, late.json()["code"]) == (409, "command_used")
        await server.call("POST", path, {"name": "Cid"})
        # What nobody can ask for any more is forgotten, and the id itself never stood there.
        assert connection.execute("SELECT count(*) FROM changes").fetchone() == (1,)


async def test_a_start_that_is_sent_again_is_no_conflict(server: Any, database_url: str) -> None:
    made = (await server.call("POST", "/rooms", {"player": "Ann", "settings": {"seats": 2}})).json()
    path, host = f"/rooms/{made['code']}", made["host_token"]
    await server.call("POST", f"{path}/bots", {}, host)
    wish = {"force": True, "command_id": str(uuid4())}
    begun = [await server.call("POST", f"{path}/start", wish, host) for _ in range(2)]
    assert [one.status_code for one in begun] == [200, 200]
    other = await server.call("POST", f"{path}/start", {**wish, "command_id": str(uuid4())}, host)
    assert (other.status_code, other.json()["code"]) == (409, "started")
    # The id began the game, and answers nothing.
    faction = (await server.call("GET", path)).json()["seats"][0]["faction"]
    answer = {"command_id": wish["command_id"], "offer": f"{faction}-0", "answer": {}}
    acted = await server.call("POST", f"{path}/actions", answer, made["seat_token"])
    assert (acted.status_code, acted.json()["code"]) == (409, "command_used")
    with psycopg.connect(database_url) as connection:
        assert connection.execute("SELECT version FROM rooms").fetchone() == (1,)


async def test_the_same_at_once_at_two_replicas(replica: Any, database_url: str) -> None:
    pair = [await replica(), await replica()]
    wish = {"player": "Ann", "command_id": str(uuid4())}
    made = await asyncio.gather(*(pair[n % 2].call("POST", "/rooms", wish) for n in range(6)))
    assert {one.status_code for one in made} == {201}
    (code,) = {one.json()["code"] for one in made}
    assert rooms(database_url) == [(code, 1, 6)]
    bot, host = {"command_id": str(uuid4())}, made[0].json()["host_token"]
    seats = await asyncio.gather(
        *(pair[n % 2].call("POST", f"/rooms/{code}/bots", bot, host) for n in range(6))
    )
    assert {one.json()["seat"] for one in seats} == {2}
    assert rooms(database_url) == [(code, 2, 6)]


@pytest.mark.parametrize("made", [True, False], ids=["made", "not made"])
async def test_where_a_connection_breaks_the_change_is_looked_up(
    server: Any, database_url: str, cut: list[bool], made: bool
) -> None:
    """Without any id of the client: nothing that was made is told as if it were not."""
    expected = 201 if made else 503
    cut.append(made)
    lost = await server.call("POST", "/rooms", {"player": "Ann"})
    assert lost.status_code == expected
    assert len(rooms(database_url)) == made
    room = (await server.call("POST", "/rooms", {"player": "Ann"})).json()
    path, host = f"/rooms/{room['code']}", room["host_token"]
    for what, body, token in (("bots", {}, host), ("seats", {"name": "Ben"}, "")):
        cut.append(made)
        assert (await server.call("POST", f"{path}/{what}", body, token)).status_code == expected
    kinds = [seat["kind"] for seat in (await server.call("GET", path)).json()["seats"]]
    assert kinds[:3] == (["person", "bot", "person"] if made else ["person", "open", "open"])
    cut.append(made)
    left = await server.call("DELETE", f"{path}/seats/1", token=room["seat_token"])
    assert left.status_code == (200 if made else 503)


@pytest.mark.slow
async def test_a_process_that_dies_over_a_change_leaves_all_of_it_or_nothing(
    server: Any, database_url: str, room_process: Any, tmp_path: Path
) -> None:
    """And whoever sends the same again, to whichever replica, has made it once."""
    process = room_process(Dying)
    room = (await server.call("POST", "/rooms", {})).json()
    lobby, host = f"/rooms/{room['code']}", room["host_token"]
    for point, path, body in (
        ("a change is written, not committed", "/rooms", {"player": "Ann"}),
        ("a room is committed", "/rooms", {"player": "Ann"}),
        ("a change is committed", f"{lobby}/bots", {}),
        ("a change is told", f"{lobby}/seats", {"name": "Ben"}),
    ):
        before = rooms(database_url)
        await process.start()
        arm(tmp_path, point)
        wish = {**body, "command_id": str(uuid4())}
        headers = {"authorization": f"Bearer {host}"} if "bots" in path else {}
        async with httpx.AsyncClient(base_url=process.url, timeout=PATIENCE, headers=headers) as http:
            with pytest.raises(httpx.TransportError):
                await http.post(f"/api{path}", json=wish)
        assert await process.ended() == -SIGKILL
        for code, sit, tokens in rooms(database_url):
            assert tokens and (sit or code == room["code"]), f"{point}: a room that nobody has"
        again = await server.call("POST", path, wish, host if "bots" in path else "")
        assert again.status_code == 201, again.text
        assert len(rooms(database_url)) == len(before) + (path == "/rooms")
    assert {code: sit for code, sit, _ in rooms(database_url)}[room["code"]] == 2
