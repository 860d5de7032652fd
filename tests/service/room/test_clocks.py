"""Clocks: each deadline fires once, in its time, whatever becomes of other rooms. [GEN-13, WINPOL-07]"""

from __future__ import annotations

import asyncio
import time
from typing import Any
from uuid import uuid4

import psycopg
import pytest


async def test_a_deadline_fires_once_whoever_sees_it(replica: Any, database_url: str) -> None:
    replicas = [await replica(), await replica()]
    game = await replicas[0].started(clock={"seconds": {"turn": 1}})
    seat, other = game.seats
    # A second chance to fire the same: the clock that passed is moved to the past before it can.
    with psycopg.connect(database_url, autocommit=True) as connection:
        assert connection.execute("SELECT count(*) FROM deadlines").fetchone() == (2,)
        await game.act(other, 0, str(uuid4()))
        connection.execute("UPDATE deadlines SET due = now() - interval '1 s' WHERE seat = %s", (seat,))
        connection.execute("UPDATE deadlines SET due = now() + interval '1 h' WHERE seat = %s", (other,))
        await asyncio.gather(*(server.service.deadlines.fire() for server in replicas * 3))
        for _ in range(100):
            found = connection.execute(
                "SELECT c.seat, count(*) FROM commits c JOIN events e USING (room, version) "
                "WHERE e.body -> 'answer' ->> 'expired' = 'true' GROUP BY 1"
            ).fetchall()
            if found:
                break
            await asyncio.sleep(0.05)
        assert found == [(seat, 1)]
        rows = connection.execute("SELECT seat, offer FROM deadlines ORDER BY seat").fetchall()
    assert sorted(rows) == sorted([(seat, f"{seat}-1"), (other, f"{other}-1")])


async def test_what_an_order_answers_waits_for_a_time_that_chance_draws(
    replica: Any, rules: Any, database_url: str
) -> None:
    """Without any clock in the room: the time tells nothing but that chance drew it. [WINPOL-07]"""
    server = await replica(order_least=0.5, order_most=1.5)
    game = await server.started()
    rules.clock = "order"
    began = time.monotonic()
    assert (await game.act(game.seats[0], 0, str(uuid4()))).status_code == 200
    left = "SELECT seat, extract(epoch FROM due - clock_timestamp())::float8 FROM deadlines"
    with psycopg.connect(database_url, autocommit=True) as connection:
        drawn = dict(connection.execute(left).fetchall())
        assert set(drawn) == set(game.seats)
        assert all(seconds <= 1.5 for seconds in drawn.values())
        assert len(set(drawn.values())) == len(drawn), "each is drawn for itself"
        rules.clock = "turn"
        expired = "SELECT count(*) FROM events WHERE body -> 'answer' ? 'expired'"
        async with asyncio.timeout(20):
            while connection.execute(expired).fetchall() == [(0,)]:
                await asyncio.sleep(0.02)
        assert time.monotonic() - began >= 0.5
        async with asyncio.timeout(20):
            while connection.execute(left).fetchall():
                await asyncio.sleep(0.02)


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
        await asyncio.wait_for(tried.wait(), 10)
        connection.execute(due, (well.code,))
        async with asyncio.timeout(10):
            while connection.execute(version, (well.code,)).fetchone() != (3,):
                await asyncio.sleep(0.05)
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
            async with asyncio.timeout(5):
                while connection.execute(version, (code,)).fetchone() != (number,):
                    await asyncio.sleep(0.02)

        connection.execute(due, (hanging.seats[0], hanging.code))
        await asyncio.wait_for(reached.wait(), 5)
        for number, seat in enumerate(well.seats, 2):
            connection.execute(due, (seat, well.code))
            connection.execute(stale)
            await comes_to(well.code, number)
        assert tries == 1, "its claim ran out, and it was being fired all the while"
        release.set()
        await comes_to(hanging.code, 2)
        async with asyncio.timeout(5):
            left = "SELECT count(*) FROM deadlines WHERE due <= now()"
            while connection.execute(left).fetchone() != (0,):
                await asyncio.sleep(0.02)
    assert tries == 1
