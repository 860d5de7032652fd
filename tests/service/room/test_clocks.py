"""Clocks: each deadline fires once, in its time, whatever becomes of other rooms. [GEN-13, WINPOL-07]"""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from tests.waiting import until


async def test_a_deadline_fires_once_whoever_sees_it(replica: Any, database_url: str) -> None:
    replicas = [await replica(), await replica()]
    game = await replicas[0].started(clock={"seconds": {"turn": 3600}})
    seat, other = game.seats
    with psycopg.connect(database_url, autocommit=True) as connection:
        assert connection.execute("SELECT count(*) FROM deadlines").fetchone() == (2,)
        await game.act(other, 0, str(uuid4()))
        connection.execute("UPDATE deadlines SET due = now() - interval '1 s' WHERE seat = %s", (seat,))
        await asyncio.gather(*(server.service.deadlines.fire() for server in replicas * 3))
        expired = (
            "SELECT c.seat, count(*) FROM commits c JOIN events e USING (room, version) "
            "WHERE e.body -> 'answer' ->> 'expired' = 'true' GROUP BY 1"
        )
        await until(lambda: connection.execute(expired).fetchall(), "what is played when a clock passed")
        assert not any(await asyncio.gather(*(server.service.deadlines.fire() for server in replicas * 3)))
        assert connection.execute(expired).fetchall() == [(seat, 1)]
        rows = connection.execute("SELECT seat, offer FROM deadlines ORDER BY seat").fetchall()
    assert sorted(rows) == sorted([(seat, f"{seat}-1"), (other, f"{other}-1")])


async def test_what_an_order_answers_waits_for_a_time_that_chance_draws(
    replica: Any, rules: Any, database_url: str
) -> None:
    """Without any clock in the room: the time tells nothing but that chance drew it. [WINPOL-07]"""
    least, most = 1000.0, 3000.0
    server = await replica(order_least=least, order_most=most)
    game = await server.started()
    rules.clock = "order"
    assert (await game.act(game.seats[0], 0, str(uuid4()))).status_code == 200
    left = "SELECT seat, extract(epoch FROM due - updated_at)::float8 FROM deadlines JOIN rooms ON rooms.id = room"
    with psycopg.connect(database_url, autocommit=True) as connection:
        drawn = dict(connection.execute(left).fetchall())
        assert set(drawn) == set(game.seats)
        assert all(least - 1 <= seconds <= most + 1 for seconds in drawn.values()), drawn
        assert len(set(drawn.values())) == len(drawn), "each is drawn for itself"
        rules.clock = "turn"
        expired = "SELECT count(*) FROM events WHERE body -> 'answer' ? 'expired'"
        assert connection.execute(expired).fetchall() == [(0,)]
        connection.execute("UPDATE deadlines SET due = clock_timestamp()")
        await until(lambda: connection.execute(expired).fetchall() != [(0,)], "what orders answer")
        await until(lambda: not connection.execute(left).fetchall(), "the end of its clocks")


async def test_a_room_that_cannot_be_decided_does_not_stop_the_clocks_of_others(
    replica: Any, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await replica()
    broken, well = [await server.started(clock={"seconds": {"turn": 3600}}) for _ in range(2)]
    decide, tried = server.service.desk.decide, asyncio.Event()

    async def failing(head: Any, *args: Any) -> Any:
        if head.code == broken.code:
            tried.set()
            raise LookupError("no such commit")
        return await decide(head, *args)

    monkeypatch.setattr(server.service.desk, "decide", failing)
    due = "UPDATE deadlines SET due = now() WHERE room = (SELECT id FROM rooms WHERE code = %s)"
    version = "SELECT version FROM rooms WHERE code = %s"
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(due, (broken.code,))
        await until(tried.is_set, "a try of the one")
        connection.execute(due, (well.code,))
        await until(
            lambda: connection.execute(version, (well.code,)).fetchone() == (3,), "the other's answers"
        )
        assert connection.execute(version, (broken.code,)).fetchone() == (1,)


async def test_a_room_that_hangs_delays_no_clock_of_others_and_is_not_fired_again_meanwhile(
    replica: Any, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await replica()
    hanging, well = [await server.started(clock={"seconds": {"turn": 3600}}) for _ in range(2)]
    decide, tries, reached, release = server.service.desk.decide, 0, asyncio.Event(), asyncio.Event()

    async def slow(head: Any, *args: Any) -> Any:
        nonlocal tries
        if head.code == hanging.code:
            tries += 1
            reached.set()
            await release.wait()
        return await decide(head, *args)

    monkeypatch.setattr(server.service.desk, "decide", slow)
    due = "UPDATE deadlines SET due = now() WHERE seat = %s AND room = (SELECT id FROM rooms WHERE code = %s)"
    stale = "UPDATE deadlines SET claimed = now() - interval '1 h' WHERE claimed IS NOT NULL"
    version = "SELECT version FROM rooms WHERE code = %s"
    with psycopg.connect(database_url, autocommit=True) as connection:

        async def comes_to(code: str, number: int) -> None:
            await until(
                lambda: connection.execute(version, (code,)).fetchone() == (number,), f"version {number}"
            )

        connection.execute(due, (hanging.seats[0], hanging.code))
        await until(reached.is_set, "a try of what hangs")
        for number, seat in enumerate(well.seats, 2):
            connection.execute(due, (seat, well.code))
            connection.execute(stale)
            await comes_to(well.code, number)
        assert tries == 1, "its claim ran out, and it was being fired all the while"
        release.set()
        await comes_to(hanging.code, 2)
        left = "SELECT count(*) FROM deadlines WHERE due <= now()"
        await until(lambda: connection.execute(left).fetchone() == (0,), "the end of what was due")
    assert tries == 1
