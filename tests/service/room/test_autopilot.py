"""A person's seat on autopilot: who may switch it, that a bot is asked for it, and that nothing open changes.

[NEXUS-36, NEXUS-65]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import psycopg
from msgspec import Raw

from shared.wire import subjects
from shared.wire.client import Bus
from shared.wire.messages import Act, ActReply, BotTask, Look, NoView, View
from tests.waiting import PATIENCE, until


class Bots:
    """What bots are asked, read off the queue."""

    def __init__(self) -> None:
        self.tasks: list[BotTask] = []

    async def hear(self, _: str, task: BotTask) -> None:
        self.tasks.append(task)

    async def asked(self, seat: str) -> BotTask:
        await until(lambda: any(task.seat == seat for task in self.tasks), f"a task for {seat}")
        return [task for task in self.tasks if task.seat == seat][-1]


async def switch(game: Any, seat: str, policy: str | None, token: str) -> Any:
    number = next(number for number, faction in game.factions.items() if faction == seat)
    path = f"/rooms/{game.code}/seats/{number}/autopilot"
    return await game.server.call("PUT", path, {"policy": policy}, token)


def open_rows(database_url: str) -> tuple[list[Any], bool, int]:
    with psycopg.connect(database_url) as connection:
        row = connection.execute("SELECT open, bot_waits, version FROM rooms").fetchone()
    assert row is not None
    return row[0], row[1], row[2]


async def test_a_bot_answers_until_the_player_takes_over(
    replica: Callable[..., Any], bus: Bus, projection: Any, database_url: str
) -> None:
    """On another replica than the one that switched it, too; taken back, the same question is still open."""
    server, other = await replica(), await replica()
    game, bots = await server.started(), Bots()
    seat = game.seats[0]
    await bus.subscribe(subjects.BOT_TASKS, BotTask, bots.hear)
    before = open_rows(database_url)
    assert not before[1]
    assert (await switch(game, seat, "random", game.tokens[seat])).json() == {"ok": True}
    assert open_rows(database_url) == (before[0], True, before[2]), "nothing but who answers has changed"
    task = await bots.asked(seat)
    assert (task.offer, task.policy) == (f"{seat}-0", "random")
    seen = await bus.request(
        subjects.ROOM_LOOK, Look(task.room, seat, task.token, task.version), View | NoView, PATIENCE
    )
    assert isinstance(seen, View)
    state = (await other.call("GET", f"/rooms/{game.code}")).json()
    assert [s.get("policy") for s in state["seats"] if s["faction"] == seat] == ["random"]

    assert (await switch(game, seat, None, game.tokens[seat])).json() == {"ok": True}
    assert open_rows(database_url) == before, "the same question, and no bot is awaited"
    act = Act(task.room, seat, str(uuid4()), task.offer, Raw(b"{}"), task.token, task.version)

    async def refused() -> bool:
        seen = await bus.request(subjects.ROOM_LOOK, look_of(task), View | NoView, PATIENCE)
        return isinstance(seen, NoView)

    await until(refused, "that the bot sees nothing")
    late: ActReply = await bus.request(subjects.ROOM_ACT, act, ActReply, PATIENCE)
    assert late.status == 403
    assert (await game.act(seat, 0, str(uuid4()))).status_code == 200


def look_of(task: BotTask) -> Look:
    return Look(task.room, task.seat, task.token, task.version)


async def test_a_replica_that_did_not_hear_of_it_asks_the_bot_all_the_same(
    replica: Callable[..., Any], database_url: str, monkeypatch: Any
) -> None:
    """What it remembers of the seats is good for a try only: the append looks at their count."""
    server, deaf = await replica(sweep_every=60.0), await replica(sweep_every=60.0)
    game = await server.started()
    seat, rival = game.seats
    assert (await game.act(rival, 0, str(uuid4()), server=deaf)).status_code == 200
    monkeypatch.setattr(deaf.service.desk, "forget", lambda room: None)
    assert (await switch(game, seat, "easy", game.tokens[seat])).status_code == 200
    assert (await game.act(rival, 1, str(uuid4()), server=deaf)).status_code == 200
    assert open_rows(database_url)[1], "a bot is awaited"


async def test_only_the_seat_itself_switches_it(server: Any) -> None:
    """Neither the host nor another seat, nor whoever may only watch; nor before the game runs or after it."""
    game = await server.started()
    seat, rival = game.seats
    for token, status in (("", 401), (game.host, 403), (game.tokens[rival], 403)):
        assert (await switch(game, seat, "easy", token)).status_code == status
    bad = await switch(game, seat, "brilliant", game.tokens[seat])
    assert bad.status_code == 400
    assert (await game.act(seat, 0, str(uuid4()), {"end": True})).status_code == 200
    over = await switch(game, seat, "easy", game.tokens[seat])
    assert (over.status_code, over.json()["code"]) == (409, "not_running")


async def test_its_player_may_answer_as_well(server: Any) -> None:
    """Who is first counts; the other is told that it is stale."""
    game = await server.started()
    seat = game.seats[0]
    assert (await switch(game, seat, "easy", game.tokens[seat])).status_code == 200
    assert (await game.act(seat, 0, str(uuid4()))).status_code == 200
    assert (await game.act(seat, 0, str(uuid4()))).status_code == 409
