"""What goes wrong: broken connections, absent services, lost hints, a killed process. Nothing acts twice or is lost."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import nats
import psycopg
import pytest

from services.verifier.store.census import verify_store
from shared.ops.database import StoreLost
from shared.wire import streams, subjects
from shared.wire.messages import Act, ActReply, BotTask, Commit
from shared.wire.subjects import ROOM_ACT
from tests.waiting import PATIENCE, until

CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND application_name = 'sietch-room'"
)


CUTS = 4
"""Cuts into one command. They are counted, not timed: on a busy machine no command would come through between two
moments of a clock."""
ENOUGH = 25
"""Cuts altogether, and commands at least: on a busy machine many a command is through before it is cut."""


async def test_commands_survive_broken_database_connections(server: Any, database_url: str) -> None:
    game = await server.started()
    seat, cuts = game.seats[0], 0

    async def sent(number: int, command: str) -> httpx.Response:
        """What a client does: the same command again until it knows."""
        while (answer := await game.act(seat, number, command)).status_code == 503:
            pass
        assert isinstance(answer, httpx.Response)
        return answer

    number = 0
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
        while number < ENOUGH or cuts < ENOUGH:
            assert number < 20 * ENOUGH, f"only {cuts} cuts into {number} commands"
            sending = asyncio.create_task(sent(number, str(uuid4())))
            for _ in range(CUTS):
                await asyncio.wait({sending}, timeout=0.0005 * (number % 8))
                if sending.done():
                    break
                cuts += (await connection.execute(CUT)).rowcount
            async with asyncio.timeout(PATIENCE):
                answer = await sending
            assert answer.status_code == 200, answer.text
            number += 1
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("SELECT body ->> 'seat' FROM events WHERE type = 'Answered'").fetchall()
    assert len(rows) == number
    assert not verify_store(database_url).faults


async def test_a_commit_whose_answer_was_lost_is_told_to_the_others(
    replica: Any, projection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await replica(sweep_every=600)
    game = await server.started()
    append, cuts = server.service.store.append, [True]

    async def cut(commit: Any) -> Any:
        version = await append(commit)
        if cuts.pop() if cuts else False:
            raise StoreLost("the connection broke")
        return version

    monkeypatch.setattr(server.service.store, "append", cut)
    assert (await game.act(game.seats[0], 0, str(uuid4()))).json() == {"ok": True}
    await projection.folded(2)


@pytest.mark.parametrize("made", [True, False], ids=["made", "not made"])
async def test_who_sits_down_as_the_connection_breaks_holds_one_seat_or_none(
    server: Any, cut: list[bool], made: bool
) -> None:
    """The same of a further token: whoever is told to try again has not got a first one that nobody knows."""
    room = (await server.call("POST", "/rooms", {"player": "Ann"})).json()
    path, own = f"/rooms/{room['code']}/seats", room["seat_token"]
    cut.append(made)
    joined = await server.call("POST", path, {"name": "Ben"})
    seats = (await server.call("GET", f"/rooms/{room['code']}")).json()["seats"]
    assert [seat["name"] for seat in seats if seat["kind"] == "person"] == ["Ann", "Ben"][: 1 + made]
    cut.append(made)
    issued = await server.call("POST", f"{path}/1/tokens", {"scope": "seat:play"}, own)
    assert [joined.status_code, issued.status_code] == [201 if made else 503] * 2
    assert not cut
    if made:
        ready = await server.call("PATCH", f"{path}/2", {"ready": True}, joined.json()["token"])
        revoked = await server.call("DELETE", f"{path}/1/tokens/{issued.json()['id']}", token=own)
        assert [ready.status_code, revoked.status_code] == [200, 200]


async def test_without_rules_the_answer_is_503_and_the_command_can_be_sent_again(
    server: Any, bus: Any, rules: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await server.started()
    for subscription in list(bus._subscriptions):
        if subscription.subject.startswith("rules."):
            await bus.unsubscribe(subscription)
    await bus.flush()
    command = str(uuid4())
    with monkeypatch.context() as hasty:
        hasty.setattr("services.room.decide.ACT_SECONDS", 0.5)
        away = await game.act(game.seats[0], 0, command)
    assert (away.status_code, away.json()["code"]) == (503, "unavailable")
    assert int(away.headers["retry-after"]) >= 1
    await rules.listen()
    assert (await game.act(game.seats[0], 0, command)).status_code == 200


async def test_another_worker_takes_over_from_one_that_left(server: Any, bus: Any, rules: Any) -> None:
    game = await server.started()
    assert (await game.act(game.seats[0], 0, str(uuid4()))).status_code == 200
    for subscription in list(bus._subscriptions):
        if subscription.subject.startswith("rules."):
            await bus.unsubscribe(subscription)
    rules.name, rules.tables = "other", {}
    await rules.listen()
    await bus.flush()
    assert (await game.act(game.seats[0], 1, str(uuid4()))).status_code == 200
    assert rules.loads == [False]


async def test_a_lost_wake_up_is_published_again(
    replica: Any, bus: Any, projection: Any, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await replica(sweep_every=0.1, wakeup_after=0.0)
    game = await server.started()
    monkeypatch.setattr(server.service.outbox, "commit", lambda *_: None)
    await game.act(game.seats[0], 0, str(uuid4()))
    assert 2 not in {version for _, version in projection.commits}
    monkeypatch.undo()
    await projection.folded(2)
    with psycopg.connect(database_url, autocommit=True) as connection:
        noted = "SELECT published FROM rooms"
        await until(lambda: connection.execute(noted).fetchone() == (2,), "a note of what was acknowledged")
    stored = await server.service.bus.js.get_last_msg("COMMITS", subjects.COMMIT_ALL)
    assert msgspec.json.decode(stored.data, type=Commit).version == 2


async def take_task(bus: Any, offer: str = "") -> BotTask:
    """Work off the bots' queue until a task comes, for this offer where one is named: others may be asked meanwhile."""
    pull = await bus.js.pull_subscribe(subjects.BOT_TASKS, durable="bot", stream=streams.BOTS.name)
    async with asyncio.timeout(PATIENCE):
        while True:
            with contextlib.suppress(nats.errors.TimeoutError):
                (msg,) = await pull.fetch(1, timeout=5)
                await msg.ack()
                task = msgspec.json.decode(msg.data, type=BotTask)
                if task.offer == (offer or task.offer):
                    return task


async def test_a_bot_answers_by_its_token_and_is_asked_again_when_silent(replica: Any, bus: Any) -> None:
    server = await replica(sweep_every=0.2, bots_again=0.5)
    game = await server.started(bots=1)
    faction = game.factions[3]
    first, again = await take_task(bus), await take_task(bus)
    assert (first.seat, first.offer, first.policy) == (faction, f"{faction}-0", "easy")
    assert (again.offer, again.token) == (first.offer, first.token)

    async def act(**changed: Any) -> ActReply:
        message = Act(first.room, faction, str(uuid4()), f"{faction}-0", msgspec.Raw(b"{}"), first.token)
        asked = msgspec.structs.replace(message, **changed)
        reply: ActReply = await bus.request(ROOM_ACT, asked, ActReply, PATIENCE)
        return reply

    person = game.seats[0]
    assert (await act(token="0" * 64)).status == 403
    assert (await act(token="")).status == 403
    assert (await act(seat=person, offer=f"{person}-0")).status == 403
    assert (await act(room="ab")).status == 400
    assert (await act(room=uuid4().hex)).status == 404
    same = str(uuid4())
    assert [(await act(command_id=same)).status for _ in range(2)] == [200, 200]
    assert (await act()).status == 409
    assert (await take_task(bus, f"{faction}-1")).seat == faction


async def test_a_slow_bot_is_left_in_peace_and_a_lost_task_is_given_again(
    replica: Any, bus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await replica(sweep_every=0.1, bots_again=0.3)
    looked, look = [0], server.service.outbox.waiting

    async def counted(room: str) -> Any:
        found = await look(room)
        looked[0] += 1
        return found

    monkeypatch.setattr(server.service.outbox, "waiting", counted)
    await server.started(bots=1)
    pull = await bus.js.pull_subscribe(subjects.BOT_TASKS, durable="bot", stream=streams.BOTS.name)
    (slow,) = await pull.fetch(1, timeout=PATIENCE)
    await until(lambda: looked[0] >= 3, "that its task is looked for, more than once")
    assert (await bus.js.stream_info(streams.BOTS.name)).state.messages == 1, "its task is still in the queue"
    await slow.ack()
    (again,) = await pull.fetch(1, timeout=PATIENCE)
    assert again.data == slow.data
    await again.ack()
    await bus.js.delete_stream(streams.BOTS.name)

    async def there() -> bool:
        with contextlib.suppress(nats.js.errors.NotFoundError):
            return bool((await bus.js.stream_info(streams.BOTS.name)).state.messages)
        return False

    await until(there, "the stream, made again, with the task")


async def test_a_staged_table_is_stored_with_the_first_commit(
    replica: Any, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await replica(scenarios=True)
    # Room dies as soon as the commit is there: nothing is stored any more afterwards.
    monkeypatch.setattr(server.service.desk, "announce", lambda *_: None)
    made = await server.call("POST", "/scenarios", {"table": {"seats": ["fremen", "guild"]}})
    assert made.status_code == 201, made.text
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("SELECT version, body FROM snapshots").fetchall()
    assert [(version, msgspec.json.decode(body)) for version, body in rows] == [
        (1, {"fremen": 0, "guild": 0})
    ]


async def test_a_new_process_sees_to_what_the_last_one_left(
    replica: Any, bus: Any, projection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying = await replica(sweep_every=600)
    for name in ("bot_task", "commit"):
        monkeypatch.setattr(dying.service.outbox, name, lambda *_, **__: None)
    game = await dying.started(bots=1)
    assert projection.commits == []
    await asyncio.sleep(0.6)
    await replica(sweep_every=600)
    task = await take_task(bus)
    assert task.seat == game.factions[3]
    await projection.folded(1)


async def test_every_lost_wake_up_has_its_turn_while_none_is_taken(
    replica: Any, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without JetStream a full batch is found again and again, and one room of it cannot even be read."""
    server = await replica(sweep_every=600)
    await until(lambda: server.service.sweep._settle_at, "the end of the sweep of its start")
    monkeypatch.setattr(server.service.outbox, "flush", server.service.store.ping)
    games = [await server.started() for _ in range(5)]
    monkeypatch.setattr("services.room.sweep.BATCH", 2)
    seen: list[str] = []

    def lost(room: Any, *_: Any) -> None:
        seen.append(room.hex)
        if len(seen) == 1:
            raise LookupError("no such commit")

    monkeypatch.setattr(server.service.outbox, "commit", lost)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("UPDATE rooms SET published = 0, updated_at = now() - interval '1 min'")
        rooms = {row[0].hex for row in connection.execute("SELECT id FROM rooms")}
    for _ in range(3):
        await server.service.sweep.sweep(0.0, 600.0)
    assert set(seen) == rooms
    assert len(seen) == len(games)
    await server.service.sweep.sweep(0.0, 600.0)
    assert len(seen) == len(games) + 2, "and then from the first again"


async def test_a_finished_room_is_settled(replica: Any, database_url: str) -> None:
    server = await replica(sweep_every=0.2)
    game = await server.started()
    await game.act(game.seats[0], 0, str(uuid4()), {"end": True})
    with psycopg.connect(database_url, autocommit=True) as connection:
        settled = "SELECT settled FROM rooms"
        await until(lambda: connection.execute(settled).fetchone() == (True,), "the end of its being swept")


@pytest.mark.slow
async def test_a_killed_process_loses_and_repeats_nothing(
    server: Any, database_url: str, room_process: Any
) -> None:
    game = await server.started()
    seat = game.seats[0]
    headers = {"authorization": f"Bearer {game.tokens[seat]}", "content-type": "application/json"}
    process = room_process()
    for number in range(3):
        await process.start()
        async with httpx.AsyncClient(base_url=process.url, timeout=PATIENCE) as http:
            body = {"command_id": str(uuid4()), "offer": f"{seat}-{number}", "answer": {"sleep": 0.05}}
            content = msgspec.json.encode(body)
            acting = asyncio.create_task(
                http.post(f"/api/rooms/{game.code}/actions", content=content, headers=headers)
            )
            await asyncio.sleep(0.02 + 0.02 * number)
            assert await process.end(signal.SIGKILL) == -signal.SIGKILL
            await asyncio.gather(acting, return_exceptions=True)
        again = await server.http.post(f"/api/rooms/{game.code}/actions", content=content, headers=headers)
        assert again.json() == {"ok": True}
    await process.start()
    async with httpx.AsyncClient(timeout=PATIENCE) as http:

        async def ready() -> bool:
            return bool((await http.get(f"{process.url}/readyz")).json() == {"status": "ready"})

        await until(ready, "word that it is ready")
        assert (await http.get(f"{process.url}/livez")).status_code == 200
        assert (await http.get(f"{process.url}/metrics")).status_code == 404
        assert "sietch_room_append_seconds" in (await http.get(f"{process.urls['ops']}/metrics")).text
    assert await process.end(signal.SIGTERM) == 0
    log = process.log.read_text()
    assert game.tokens[seat] not in log
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("SELECT count(*) FROM events WHERE type = 'Answered'").fetchone()
    assert rows == (3,)
    assert not verify_store(database_url).faults
