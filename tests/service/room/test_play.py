"""Lobby, start, actions: what a client sees, idempotency, races, refusals."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import psycopg

from tests.waiting import until


async def test_a_room_from_lobby_to_result(server: Any, database_url: str) -> None:
    made = await server.call("POST", "/rooms", {"name": "  Sand\u200b  dune ", "player": "Ann"})
    assert made.status_code == 201
    code, host, ann = made.json()["code"], made.json()["host_token"], made.json()["seat_token"]
    joined = await server.call("POST", f"/rooms/{code.lower()}/seats", {"name": "Ben", "faction": "guild"})
    assert joined.json()["seat"] == 2
    taken = await server.call("POST", f"/rooms/{code}/bots", {"faction": "guild"}, host)
    assert (taken.status_code, taken.json()["code"]) == (409, "faction_taken")
    assert (await server.call("POST", f"/rooms/{code}/bots", {"policy": "easy"}, host)).json() == {"seat": 3}
    state = (await server.call("GET", f"/rooms/{code}", token=ann)).json()
    assert state["name"] == "Sand dune"
    assert state["you"] == {"host": False, "seat": 1, "scope": "seat:play"}
    assert [seat["kind"] for seat in state["seats"]] == ["person", "person", "bot", "open", "open", "open"]
    early = await server.call("POST", f"/rooms/{code}/start", {}, host)
    assert early.json()["code"] == "not_ready"
    for seat, token in ((1, ann), (2, joined.json()["token"])):
        assert (
            await server.call("PATCH", f"/rooms/{code}/seats/{seat}", {"ready": True}, token)
        ).status_code == 200
    assert (await server.call("POST", f"/rooms/{code}/start", {}, ann)).status_code == 403
    assert (await server.call("POST", f"/rooms/{code}/start", {}, host)).json() == {"ok": True}
    assert (await server.call("POST", f"/rooms/{code}/start", {}, host)).json()["code"] == "started"
    assert (await server.call("POST", f"/rooms/{code}/seats", {"name": "Eve"})).json()["code"] == "started"
    state = (await server.call("GET", f"/rooms/{code}", token=ann)).json()
    factions = [seat["faction"] for seat in state["seats"]]
    assert factions[1] == "guild"
    assert len({*factions[:3]}) == 3
    assert factions[3:] == [None] * 3
    body = {"command_id": str(uuid4()), "offer": f"{factions[0]}-0", "answer": {"end": True}}
    assert (await server.call("POST", f"/rooms/{code}/actions", body, ann)).json() == {"ok": True}
    state = (await server.call("GET", f"/rooms/{code}")).json()
    assert state["state"] == "finished"
    assert state["result"] == {"winners": ["atreides"]}
    listed = (await server.call("GET", "/rooms?state=finished")).json()
    assert [(room["code"], room["players"], room["mode"]) for room in listed] == [(code, 3, "basic")]
    assert (await server.call("GET", "/rooms?state=lobby")).json() == []
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("SELECT hash FROM tokens").fetchall()
        assert all(len(row[0]) == 32 for row in rows)


async def test_the_same_command_acts_once(server: Any, rules: Any) -> None:
    game = await server.started()
    seat, command = game.seats[0], str(uuid4())
    first = await game.act(seat, 0, command, {"x": 1})
    decided = rules.decided
    again = await game.act(seat, 0, command, {"x": 1})
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.content == again.content == b'{"ok":true}'
    assert rules.decided == decided
    stale = await game.act(seat, 0, str(uuid4()))
    assert (stale.status_code, stale.json()["code"]) == (409, "stale")


async def test_a_command_id_is_for_one_answer_of_one_seat(server: Any, rules: Any) -> None:
    game, other = await server.started(), await server.started()
    (seat, rival), command = game.seats, str(uuid4())
    assert (await game.act(seat, 0, command, {"x": 1, "y": [2]})).status_code == 200
    decided = rules.decided
    for number, who, answer in (
        (0, seat, {"x": 2}),
        (1, seat, {"x": 1, "y": [2]}),
        (0, rival, {"x": 1, "y": [2]}),
    ):
        used = await game.act(who, number, command, answer)
        assert (used.status_code, used.json()["code"]) == (409, "command_used")
    assert rules.decided == decided
    assert (await game.act(seat, 0, command, {"y": [2], "x": 1})).status_code == 200
    assert (await other.act(other.seats[0], 0, command)).status_code == 200  # ids are a room's own


async def test_a_refusal_changes_nothing_and_may_be_repeated(server: Any, database_url: str) -> None:
    game = await server.started()
    seat, command = game.seats[0], str(uuid4())
    refused = await game.act(seat, 0, command, {"refuse": True})
    assert refused.status_code == 422
    assert refused.json() == {
        "code": "too_much",
        "text": "not that much",
        "rule": "TEST-02",
        "args": {"most": 3},
    }
    body = {"offer": f"{seat}-0", "answer": {"refuse": True}}
    tried = await server.call("POST", f"/rooms/{game.code}/check", body, game.tokens[seat])
    assert tried.status_code == 422
    with psycopg.connect(database_url) as connection:
        assert connection.execute("SELECT count(*) FROM commits").fetchone() == (1,)
    assert (await game.act(seat, 0, command, {})).status_code == 200


async def test_the_game_refused_at_the_start_leaves_the_lobby_open(server: Any) -> None:
    made = (await server.call("POST", "/rooms", {"settings": {"mode": "advanced"}, "player": "Ann"})).json()
    await server.call("POST", f"/rooms/{made['code']}/bots", {}, made["host_token"])
    refused = await server.call("POST", f"/rooms/{made['code']}/start", {"force": True}, made["host_token"])
    assert (refused.status_code, refused.json()["rule"]) == (422, "TEST-01")
    assert (await server.call("GET", f"/rooms/{made['code']}")).json()["state"] == "lobby"
    changed = await server.call(
        "PATCH", f"/rooms/{made['code']}/settings", {"mode": "basic"}, made["host_token"]
    )
    assert changed.status_code == 200
    started = await server.call("POST", f"/rooms/{made['code']}/start", {"force": True}, made["host_token"])
    assert started.status_code == 200


async def test_racing_commands_of_two_replicas_are_all_decided_once(
    replica: Any, database_url: str, rules: Any
) -> None:
    one, two = await replica(), await replica()
    game = await one.started()
    for round_ in range(12):
        commands = [(seat, str(uuid4()), server) for seat in game.seats for server in (one, two)]
        answers = await asyncio.gather(
            *(game.act(seat, round_, command, {"more": 2}, server) for seat, command, server in commands)
        )
        by_seat = {seat: [] for seat in game.seats}
        for (seat, _, _), answer in zip(commands, answers, strict=True):
            by_seat[seat].append(answer.status_code)
        assert all(sorted(codes) == [200, 409] for codes in by_seat.values()), by_seat
    same = str(uuid4())
    answers = await asyncio.gather(
        *(game.act(game.seats[0], 12, same, {}, server) for server in (one, two) * 3)
    )
    assert [answer.status_code for answer in answers] == [200] * 6
    with psycopg.connect(database_url) as connection:
        versions = [row[0] for row in connection.execute("SELECT version FROM commits ORDER BY version")]
    assert versions == list(range(1, 1 + 1 + 24 + 1))


async def test_many_join_at_once_and_each_has_a_seat_of_its_own(server: Any) -> None:
    code = (await server.call("POST", "/rooms", {"settings": {"seats": 4}})).json()["code"]
    answers = await asyncio.gather(
        *(
            server.call("POST", f"/rooms/{code}/seats", {"name": f"P{n}", "faction": "emperor"})
            for n in range(3)
        ),
        *(server.call("POST", f"/rooms/{code}/seats", {"name": f"Q{n}"}) for n in range(4)),
    )
    seats = [answer.json()["seat"] for answer in answers if answer.status_code == 201]
    assert len(seats) == len(set(seats)) == 4
    assert {answer.json()["code"] for answer in answers if answer.status_code != 201} <= {
        "full",
        "faction_taken",
    }


async def test_a_worker_that_lacks_the_table_is_given_it(server: Any, rules: Any, database_url: str) -> None:
    rules.snapshot_every = 3
    game = await server.started()
    seat = game.seats[0]
    rules.tables.clear()
    assert (await game.act(seat, 0, str(uuid4()))).status_code == 200
    assert rules.loads == [False]
    assert (await game.act(seat, 1, str(uuid4()))).status_code == 200
    with psycopg.connect(database_url, autocommit=True) as connection:
        kept = "SELECT version FROM snapshots"
        await until(lambda: connection.execute(kept).fetchall() == [(3,)], "the snapshot")
    assert (await game.act(seat, 2, str(uuid4()))).status_code == 200
    rules.tables.clear()
    assert (await game.act(seat, 3, str(uuid4()))).status_code == 200
    assert rules.loads == [False, True]


async def test_settings_change_in_the_lobby_and_seats_follow(server: Any) -> None:
    made = (await server.call("POST", "/rooms", {"settings": {"seats": 3}, "player": "Ann"})).json()
    code, host = made["code"], made["host_token"]
    joined = (await server.call("POST", f"/rooms/{code}/seats", {"name": "Ben"})).json()
    assert (await server.call("PATCH", f"/rooms/{code}/settings", {"seats": 2}, host)).status_code == 200
    assert (await server.call("POST", f"/rooms/{code}/bots", {}, host)).json()["code"] == "full"
    assert (await server.call("DELETE", f"/rooms/{code}/seats/1", token=joined["token"])).status_code == 403
    assert (
        await server.call("DELETE", f"/rooms/{code}/seats/1", token=made["seat_token"])
    ).status_code == 200
    gone = await server.call("GET", f"/rooms/{code}", token=made["seat_token"])
    assert (gone.status_code, gone.json()["code"]) == (401, "no_token")
    assert (
        await server.call(
            "PATCH", f"/rooms/{code}/settings", {"seats": 5, "clock": {"seconds": {"turn": 60}}}, host
        )
    ).status_code == 200
    state = (await server.call("GET", f"/rooms/{code}")).json()
    assert sorted(seat["seat"] for seat in state["seats"]) == [1, 2, 3, 4, 5]
    assert state["settings"]["clock"] == {"seconds": {"turn": 60.0}}
    bad = await server.call("PATCH", f"/rooms/{code}/settings", {"last_turn": 99}, host)
    assert (bad.status_code, bad.json()["code"]) == (400, "malformed")


async def test_a_stated_seed_only_where_nobody_profits(server: Any, rules: Any) -> None:
    made = (await server.call("POST", "/rooms", {"player": "Ann"})).json()
    code, host = made["code"], made["host_token"]
    for _ in range(2):
        await server.call("POST", f"/rooms/{code}/bots", {}, host)
    refused = await server.call("POST", f"/rooms/{code}/start", {"force": True, "seed": 7}, host)
    assert refused.status_code == 403
    await server.call("DELETE", f"/rooms/{code}/seats/1", token=host)
    assert (await server.call("POST", f"/rooms/{code}/start", {"seed": 7}, host)).status_code == 200
    state = (await server.call("GET", f"/rooms/{code}")).json()
    assert [seat["faction"] for seat in state["seats"]][:3] == [None, "atreides", "bene_gesserit"]
