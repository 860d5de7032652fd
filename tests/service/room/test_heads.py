"""What a replica remembers of a room spares a question to the store, and never lets anything wrong through."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import msgspec
import psycopg
import pytest

from services.room.acting import BotDesk
from services.room.ids import bot_token
from services.room.store.store import OutdatedError, Store
from services.verifier.store.census import verify_store
from shared.ops.database import Pool
from shared.wire.messages import Act, Look, View
from tests.service.room.test_store import _filled
from tests.waiting import until


def reads(server: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Each look at a head that this replica takes from now on."""
    found: list[Any] = []
    real = server.service.store.head

    async def head(room: Any, *rest: Any) -> Any:
        found.append(room)
        return await real(room, *rest)

    monkeypatch.setattr(server.service.store, "head", head)
    return found


def deaf(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """This replica hears no hint that a room's seats or tokens changed: hints may be lost."""
    monkeypatch.setattr(server.service.desk, "forget", lambda room: None)


def commits(database_url: str) -> int:
    with psycopg.connect(database_url) as connection:
        row = connection.execute("SELECT count(*) FROM commits").fetchone()
    return int(row[0]) if row else 0


async def test_the_head_is_read_once(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    game = await server.started()
    looked = reads(server, monkeypatch)
    for number in range(4):
        for seat in game.seats:
            assert (await game.act(seat, number, str(uuid4()))).status_code == 200
    assert len(looked) == len(game.seats), "each token is looked up once"


async def test_a_revoked_token_is_refused_at_once_by_replicas_that_know_it(
    replica: Any, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = await replica(), await replica()
    game = await one.started()
    seat = game.seats[0]
    number = next(n for n, faction in game.factions.items() if faction == seat)
    path, own = f"/rooms/{game.code}/seats/{number}/tokens", game.tokens[seat]
    issued = (await one.call("POST", path, {"scope": "seat:play"}, own)).json()
    game.tokens[seat] = issued["token"]
    assert (await game.act(seat, 0, str(uuid4()), server=two)).status_code == 200
    deaf(two, monkeypatch)
    assert (await one.call("DELETE", f"{path}/{issued['id']}", token=own)).status_code == 200
    before = commits(database_url)
    for answer in ({}, {"refuse": True}):
        refused = await game.act(seat, 1, str(uuid4()), answer, server=two)
        assert (refused.status_code, refused.json()["code"]) == (401, "no_token")
    assert (await game.act(seat, 0, str(uuid4()), server=two)).status_code == 401, "not even what is stale"
    assert commits(database_url) == before
    game.tokens[seat] = own
    assert (await game.act(seat, 1, str(uuid4()), server=two)).status_code == 200


async def test_nothing_is_refused_because_of_a_head_that_is_out_of_date(replica: Any) -> None:
    one, two = await replica(), await replica()
    game = await one.started()
    seat, other = game.seats
    assert (await game.act(other, 0, str(uuid4()), server=one)).status_code == 200
    for number in range(0, 8, 2):
        assert (await game.act(seat, number, str(uuid4()), server=one)).status_code == 200
        assert (await game.act(seat, number + 1, str(uuid4()), server=two)).status_code == 200


async def test_a_command_id_that_another_replica_knows_is_used_once(replica: Any, database_url: str) -> None:
    one, two = await replica(), await replica()
    game = await one.started()
    (seat, other), used = game.seats, str(uuid4())
    assert (await game.act(seat, 0, used, {"x": 1}, server=two)).status_code == 200
    for number in range(2):
        assert (await game.act(other, number, str(uuid4()), server=one)).status_code == 200
    assert (await game.act(seat, 1, str(uuid4()), server=one)).status_code == 200
    before = commits(database_url)
    # Rules would accept this one: the append finds that the id was used.
    refused = await game.act(seat, 2, used, {"x": 2}, server=one)
    assert (refused.status_code, refused.json()["code"]) == (409, "command_used")
    repeated = await game.act(seat, 0, used, {"x": 1}, server=one)
    assert (repeated.status_code, repeated.content) == (200, b'{"ok":true}')
    assert commits(database_url) == before
    assert not verify_store(database_url).faults


async def test_the_end_of_a_game_and_its_start_are_not_missed(replica: Any) -> None:
    one, two = await replica(), await replica()
    game = await one.started()
    seat, other = game.seats
    assert (await game.act(other, 0, str(uuid4()), server=two)).status_code == 200
    assert (await game.act(seat, 0, str(uuid4()), {"end": True}, server=one)).status_code == 200
    after = await game.act(other, 1, str(uuid4()), server=two)
    assert (after.status_code, after.json()["code"]) == (409, "stale")


async def test_a_bot_is_shown_what_its_task_is_about_by_whichever_replica(
    replica: Any, projection: Any, database_url: str
) -> None:
    one, two = await replica(), await replica()
    game = await one.started(bots=1)
    bot, person = game.factions[3], game.seats[0]
    with psycopg.connect(database_url) as connection:
        row = connection.execute("SELECT id, bot_key FROM rooms").fetchone()
    assert row is not None
    desk = BotDesk(two.service.bus, two.service.desk)
    look = Look(row[0].hex, bot, bot_token(row[1], bot), 1)
    assert isinstance(await desk.look(look), View)
    for number in range(3):
        assert (await game.act(person, number, str(uuid4()), server=one)).status_code == 200
        await projection.folded(number + 2)
        seen = await desk.look(msgspec.structs.replace(look, version=number + 2))
        assert isinstance(seen, View)
        assert seen.seq == number + 2
    act = Act(row[0].hex, bot, str(uuid4()), f"{bot}-0", msgspec.Raw(b"{}"), look.token, 4)
    assert (await desk.act(act)).status == 200


async def test_a_staged_table_is_not_looked_for_before_its_oldest_snapshot(database_url: str) -> None:
    """A staged table follows from no events: before its oldest snapshot there is nothing to begin from."""
    room = await _filled(database_url)
    store = Store(Pool(database_url, 1))
    try:
        await store.write("INSERT INTO snapshots (room, version, body) VALUES (%s, 4, 'x')", (room,))
        assert (await store.load(room, 3))[0] is None, "a game follows from its events"
        await store.write("UPDATE rooms SET scenario = true WHERE id = %s", (room,))
        assert (await store.load(room, 4))[0] == b"x"
        with pytest.raises(OutdatedError):
            await store.load(room, 3)
    finally:
        await store.close()


@pytest.mark.parametrize("how", ["act", "try"])
async def test_whoever_is_that_far_behind_reads_the_head_again(
    replica: Any, rules: Any, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = await replica(), await replica()
    game = await one.started()
    seat, other = game.seats
    assert (await game.act(seat, 0, str(uuid4()), server=two)).status_code == 200
    version = 2
    assert (await game.act(other, 0, str(uuid4()), server=one)).status_code == 200
    rules.tables.pop(
        next(reversed(list(rules.tables)[:-1]))
    )  # the worker lacks what replica two believes to be newest
    real = two.service.store.load

    async def load(room: Any, at: int) -> Any:
        if at <= version:
            raise OutdatedError
        return await real(room, at)

    monkeypatch.setattr(two.service.store, "load", load)
    if how == "try":
        path = f"/rooms/{game.code}/check"
        told = await two.call("POST", path, {"offer": f"{seat}-1", "answer": {}}, game.tokens[seat])
    else:
        told = await game.act(seat, 1, str(uuid4()), server=two)
    assert told.status_code == 200, told.text
    monkeypatch.setattr(two.service.store, "load", lambda *_: _outdated())
    rules.tables.clear()
    lost = await game.act(other, 1, str(uuid4()), server=two)
    assert (lost.status_code, lost.json()["code"]) == (500, "rules_failed"), "and not for ever"


async def _outdated() -> None:
    raise OutdatedError


async def test_the_snapshot_before_the_newest_is_kept(replica: Any, rules: Any, database_url: str) -> None:
    rules.snapshot_every = 2
    server = await replica()
    game = await server.started()
    for number in range(7):
        assert (await game.act(game.seats[0], number, str(uuid4()))).status_code == 200
    with psycopg.connect(database_url, autocommit=True) as connection:
        kept = "SELECT version FROM snapshots ORDER BY version"
        await until(lambda: connection.execute(kept).fetchall() == [(6,), (8,)], "that two are kept")
