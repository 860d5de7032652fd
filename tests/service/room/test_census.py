"""The gauges of the store: counted when they are asked for, the same at every replica, absent without a store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import msgspec
import psycopg
import pytest

from services.room import census
from services.room.ids import new_code
from services.room.store.store import Store
from services.room.store.tables import GENESIS
from shared.ops import scrape
from shared.ops.database import Pool
from shared.ops.metrics import REGISTRY

_ROOM = """
INSERT INTO rooms (id, code, name, state, scenario, settings, ruleset, lobby, version, hash, open, bot_key, bot_waits,
    published, settled, finished, asked_at, created_at, updated_at)
VALUES (%s, %s, 'x', %s, false, '{}', 'r', 0, %s, %s, %s, '', %s, %s, %s, %s, now(), now(), now() - interval '20 s')"""
BIDDING, PLAN = "Bidding.bid", "Battle.plan"


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    made = Store(Pool(database_url, 1), patience=0.2)
    census.watch(made)
    yield made
    await made.close()
    del scrape.looks["census"]
    for seen in census.SEEN:
        seen.clear()


def a_room(
    to: str,
    state: str,
    *by: str,
    version: int = 5,
    published: int = 5,
    bot: bool = False,
    settled: bool = False,
) -> None:
    """A room as a commit twenty seconds ago left it."""
    asked = [
        {"seat": "guild", "offer": f"guild-{n}", "kind": "k", "clock": "turn", "by": name}
        for n, name in enumerate(by)
    ]
    text = msgspec.json.encode(asked).decode()
    finished = state == "finished"
    row = (uuid4(), new_code(), state, version, GENESIS, text, bot, published, settled, finished)
    with psycopg.connect(to, autocommit=True) as connection:
        connection.execute(_ROOM, row)


def value(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(f"sietch_room_{name}", labels)


async def test_what_games_wait_for(store: Store, database_url: str) -> None:
    a_room(database_url, "lobby", settled=True)
    a_room(database_url, "running", BIDDING)
    a_room(database_url, "running", BIDDING, BIDDING, "", bot=True)
    a_room(database_url, "running", PLAN, version=9, published=6)
    a_room(database_url, "finished", PLAN, settled=True)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("""UPDATE rooms SET result = '{"way":"guild"}' WHERE state = 'finished'""")
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO deadlines (room, seat, offer, opened, due) "
            "SELECT (SELECT min(id::text)::uuid FROM rooms), 'guild', 'g-' || n, 1, "
            "now() + make_interval(secs => n * 60 - 30) FROM generate_series(0, 3) AS n"
        )
    await scrape.render()
    assert [value("rooms", state=state) for state in ("lobby", "running", "finished")] == [1, 3, 1]
    assert value("finished_rooms", way="guild") == 1
    assert value("offers_waiting", flow="Bidding", step="bid") == 3
    assert value("offers_waiting", flow="Battle", step="plan") == 1, "a game that is over waits for nothing"
    assert value("offers_waiting", flow="unknown", step="unknown") == 1, "from before offers named who asks"
    assert value("bot_waits") == 1
    assert (value("bot_waits_oldest_seconds") or 0) == pytest.approx(20, abs=5)
    assert value("hints_behind_commits") == 3
    assert (value("hints_behind_seconds") or 0) == pytest.approx(20, abs=5)
    assert value("deadlines_overdue") == 1
    assert (value("deadlines_overdue_seconds") or 0) == pytest.approx(30, abs=5)


async def test_an_empty_store_is_zeros(store: Store) -> None:
    await scrape.render()
    assert [value("rooms", state=state) for state in ("lobby", "running", "finished")] == [0, 0, 0]
    assert (value("bot_waits"), value("hints_behind_commits"), value("deadlines_overdue_seconds")) == (
        0,
        0,
        0,
    )


async def test_without_a_store_they_are_absent_and_the_pool_is_still_told(store: Store) -> None:
    await scrape.render()
    scrape.looks["pools"]._good_until = 0.0
    gone = Store(Pool("postgresql://nobody@127.0.0.1:1/none", 3), patience=0.1)
    census.watch(gone)
    text = (await scrape.render()).decode()
    assert value("bot_waits") is None
    assert 'sietch_store_connections{pool="sietch-room",state="idle"} 3.0' in text
    await gone.close()
