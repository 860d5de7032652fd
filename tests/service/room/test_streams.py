"""Streams: first the whole view, then changes; resuming, gaps, slow readers, presence, revocation, drain."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest

from services.room import channel as channels
from services.room import hub
from services.room.channel import Channel
from shared.wire.messages import ViewChanged
from tests.waiting import PATIENCE, until

NEVER = 3600.0


@pytest.fixture(autouse=True)
def no_comparing(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine views would be compared before the change that a test waits for; tests of that say when."""
    monkeypatch.setattr(hub, "UNHEARD_SECONDS", NEVER)
    monkeypatch.setattr(hub, "QUIET_SECONDS", NEVER)


class Stream:
    """A stream of JSON lines, read in the background."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        self.ended = asyncio.Event()

    async def next(self, event: str) -> Any:
        """The next frame of a kind; others are skipped."""
        async with asyncio.timeout(PATIENCE):
            while True:
                found, data = await self.frames.get()
                if found == event:
                    return data

    async def until(self, event: str, **wanted: Any) -> Any:
        """The next frame of a kind whose named fields have these values."""
        while True:
            data = await self.next(event)
            if all(data[key] == value for key, value in wanted.items()):
                return data

    async def games(self, seq: int) -> list[tuple[str, int]]:
        """What comes of the game until this number, frames of the lobby left out."""
        found: list[tuple[str, int]] = []
        async with asyncio.timeout(PATIENCE):
            while not found or found[-1][1] != seq:
                kind, data = await self.frames.get()
                found += [(kind, data["seq"])] if kind != "room" else []
        return found

    async def end(self) -> None:
        """Wait until the other side ended it."""
        async with asyncio.timeout(PATIENCE):
            await self.ended.wait()


@asynccontextmanager
async def following(
    server: Any, code: str, token: str = "", after: int | None = None
) -> AsyncIterator[Stream]:
    headers = {"accept": "application/x-ndjson"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    path = f"/api/rooms/{code}/stream" + ("" if after is None else f"?after={after}")
    stream = Stream()

    async def read() -> None:
        try:
            async with server.http.stream("GET", path, headers=headers) as response:
                assert response.status_code == 200
                async for line in response.aiter_lines():
                    if line:
                        frame = json.loads(line)
                        stream.frames.put_nowait((frame["event"], frame["data"]))
        finally:
            stream.ended.set()

    task = asyncio.create_task(read())
    try:
        yield stream
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_who_waits_in_a_lobby_hears_of_a_game_whose_beginning_nobody_told(
    replica: Any, projection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever began it died over it; the first that the others hear of is the second commit."""
    dying, other = await replica(sweep_every=600), await replica(sweep_every=600)

    async def nothing(_: str) -> None:
        return None

    monkeypatch.setattr(dying.service.outbox, "commit", lambda *_, **__: None)
    made = (await dying.call("POST", "/rooms", {"player": "Ann"})).json()
    path, token = f"/rooms/{made['code']}", made["seat_token"]
    await dying.call("POST", f"{path}/seats", {"name": "Ben"})
    async with following(other, made["code"], token) as stream:
        await stream.until("room", state="lobby")
        monkeypatch.setattr(dying.service.hub, "changed", nothing)
        begun = await dying.call("POST", f"{path}/start", {"force": True}, made["host_token"])
        assert begun.status_code == 200
        faction = (await other.call("GET", path)).json()["seats"][0]["faction"]
        body = {"command_id": str(uuid4()), "offer": f"{faction}-0", "answer": {}}
        assert (await other.call("POST", f"{path}/actions", body, token)).status_code == 200
        assert (await stream.next("view"))["view"]["audience"] == faction


async def test_a_seat_follows_from_the_lobby_into_the_game(server: Any) -> None:
    made = (await server.call("POST", "/rooms", {"player": "Ann"})).json()
    code, host, ann = made["code"], made["host_token"], made["seat_token"]
    async with following(server, code, ann) as stream:
        first = await stream.next("room")
        assert first["you"] == {"host": False, "seat": 1, "scope": "seat:play"}
        await stream.until("room", state="lobby")  # its own connection, told by the hint
        assert (await server.call("GET", f"/rooms/{code}")).json()["seats"][0]["connected"] is True
        await server.call("POST", f"/rooms/{code}/bots", {}, host)
        while (await stream.next("room"))["seats"][1]["kind"] != "bot":
            continue
        await server.call("POST", f"/rooms/{code}/start", {"force": True}, host)
        state = await stream.until("room", state="running")
        faction = state["seats"][0]["faction"]
        view = await stream.next("view")
        assert view == {"seq": 1, "view": {"n": 1, "audience": faction}, "log": []}
        body = {"command_id": str(uuid4()), "offer": f"{faction}-0", "answer": {}}
        await server.call("POST", f"/rooms/{code}/actions", body, ann)
        assert await stream.next("changed") == {"seq": 2, "events": [{"event": "Seen"}], "patch": {"n": 2}}


async def test_resuming_gets_only_what_was_missed(server: Any, projection: Any) -> None:
    game = await server.started()
    seat = game.seats[0]
    async with following(server, game.code, game.tokens[seat]) as stream:
        await stream.next("view")
        for number in range(3):
            await game.act(seat, number, str(uuid4()))
        await stream.until("changed", seq=4)
    asked = projection.asked
    async with following(server, game.code, game.tokens[seat], after=2) as stream:
        assert await stream.games(4) == [("changed", 3), ("changed", 4)]
    async with following(server, game.code, game.tokens[seat], after=4) as stream:
        await stream.next("room")
        await game.act(seat, 3, str(uuid4()))
        assert (await stream.next("changed"))["seq"] == 5
    assert projection.asked == asked
    async with following(server, game.code, game.tokens[seat], after=999) as stream:
        assert (await stream.next("view"))["seq"] == 5


async def test_server_sent_events_number_their_frames(server: Any) -> None:
    game = await server.started()
    async with server.http.stream("GET", f"/api/rooms/{game.code}/stream") as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        seen = b""
        async for chunk in response.aiter_bytes():
            seen += chunk
            if b"event: view" in seen:
                break
    assert b"retry: 500\n\n" in seen
    assert b'id: 1\nevent: view\ndata: {"seq":1,"view":{"n":1,"audience":"spectator"},"log":[]}\n\n' in seen
    assert b'"you":{"host":false}' in seen


async def test_a_lost_change_is_found_at_the_next_one(server: Any, projection: Any) -> None:
    game = await server.started()
    seat, other = game.seats
    async with following(server, game.code, game.tokens[other]) as stream:
        await stream.next("view")
        projection.mute = True
        await game.act(seat, 0, str(uuid4()))
        await projection.folded(2)
        projection.mute = False
        await game.act(seat, 1, str(uuid4()))
        assert (await stream.next("view"))["view"] == {"n": 3, "audience": other}


async def test_a_change_that_nobody_heard_is_found_soon(
    server: Any, projection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "UNHEARD_SECONDS", 0.2)
    game = await server.started()
    async with following(server, game.code) as stream:
        await stream.next("view")
        projection.mute = True
        await game.act(game.seats[0], 0, str(uuid4()))
        assert (await stream.next("view"))["seq"] == 2


async def test_a_change_that_one_audience_lost_is_found_when_the_room_is_quiet(
    server: Any, projection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change that was heard says that projection is there: it is not waited for as if nothing had been heard."""
    monkeypatch.setattr(hub, "QUIET_SECONDS", 0.2)
    game = await server.started()
    seat, other = game.seats
    async with (
        following(server, game.code, game.tokens[seat]) as heard,
        following(server, game.code, game.tokens[other]) as lost,
    ):
        await heard.next("view")
        await lost.next("view")
        projection.mute = other
        await game.act(seat, 0, str(uuid4()))
        assert (await heard.next("changed"))["seq"] == 2
        assert (await lost.next("view"))["seq"] == 2


async def test_a_revoked_token_ends_its_stream_and_no_other(server: Any) -> None:
    game = await server.started()
    seat = game.seats[0]
    own = game.tokens[seat]
    number = next(n for n, faction in game.factions.items() if faction == seat)
    path = f"/rooms/{game.code}/seats/{number}/tokens"
    assert (await server.call("POST", path, {"scope": "seat:observe"}, game.host)).status_code == 403
    issued = (await server.call("POST", path, {"scope": "seat:observe"}, own)).json()
    body = {"command_id": str(uuid4()), "offer": f"{seat}-0", "answer": {}}
    watching = await server.call("POST", f"/rooms/{game.code}/actions", body, issued["token"])
    assert (watching.status_code, watching.json()["code"]) == (403, "not_yours")
    async with (
        following(server, game.code, issued["token"]) as lent,
        following(server, game.code, own) as mine,
    ):
        assert (await lent.next("view"))["view"]["audience"] == seat
        await mine.next("view")
        assert (await server.call("DELETE", f"{path}/{issued['id']}", token=own)).status_code == 200
        await lent.end()
        await game.act(seat, 0, str(uuid4()))
        assert (await mine.next("changed"))["seq"] == 2


async def test_what_a_replica_died_over_before_it_told_is_found_by_the_others(
    replica: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token that is revoked ends its streams, and a lobby shows who sits in it, also where no hint came."""
    monkeypatch.setattr(hub, "LOBBY_SECONDS", 0.2)
    one, two = await replica(), await replica()
    made = (await one.call("POST", "/rooms", {"player": "Ann"})).json()
    path = f"/rooms/{made['code']}/seats"
    lent = (await one.call("POST", f"{path}/1/tokens", {"scope": "seat:observe"}, made["seat_token"])).json()

    async def silent(*_: Any) -> None:
        return

    monkeypatch.setattr(one.service.hub, "changed", silent)
    async with (
        following(two, made["code"], lent["token"]) as revoked,
        following(two, made["code"], made["seat_token"]) as kept,
    ):
        await revoked.next("room")
        await one.call("POST", path, {"name": "Ben"})
        for stream in (revoked, kept):
            while (await stream.next("room"))["seats"][1]["name"] != "Ben":
                continue
        done = await one.call("DELETE", f"{path}/1/tokens/{lent['id']}", token=made["seat_token"])
        assert done.status_code == 200
        await revoked.end()
        assert not kept.ended.is_set()


def sits_connected(server: Any, code: str, yes: bool) -> Any:
    """Whether the lobby says so of its first seat, for `until`."""

    async def says() -> bool:
        found = (await server.call("GET", f"/rooms/{code}")).json()["seats"][0]["connected"]
        return bool(found is yes)

    return says


async def test_two_replicas_share_presence_and_lobby(replica: Any) -> None:
    one, two = await replica(), await replica()
    made = (await one.call("POST", "/rooms", {"player": "Ann"})).json()
    async with following(two, made["code"], made["seat_token"]) as stream:
        await stream.next("room")
        await until(sits_connected(one, made["code"], True), "word of who is connected")
        await one.call("POST", f"/rooms/{made['code']}/seats", {"name": "Ben"})
        while (await stream.next("room"))["seats"][1]["name"] != "Ben":
            continue
    await until(sits_connected(one, made["code"], False), "word of who left")


async def test_a_client_that_leaves_while_its_stream_opens_is_forgotten(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = (await server.call("POST", "/rooms", {"player": "Ann"})).json()
    subscribe = server.service.bus.subscribe

    async def slowly(*args: Any, **options: Any) -> Any:
        await asyncio.sleep(0.05)
        return await subscribe(*args, **options)

    monkeypatch.setattr(server.service.bus, "subscribe", slowly)
    headers = {"authorization": f"Bearer {made['seat_token']}"}
    for _ in range(3):
        async with server.http.stream("GET", f"/api/rooms/{made['code']}/stream", headers=headers):
            await asyncio.sleep(0.01)
    await until(sits_connected(server, made["code"], False), "word of who left")


async def test_a_draining_replica_tells_its_streams_to_reconnect(replica: Any) -> None:
    server = await replica()
    game = await server.started()
    async with following(server, game.code) as stream:
        await stream.next("view")
        server.service.hub.drain()
        await stream.next("reconnect")
        await stream.end()


def test_the_ring_gives_what_it_holds_and_nothing_wrong() -> None:
    channel = Channel(None, "r", "a")  # type: ignore[arg-type]

    def change(seq: int) -> ViewChanged:
        return ViewChanged("r", "a", seq, [], b"{}")  # type: ignore[arg-type]

    assert channel.after(0) is None
    for seq in range(1, channels.RING + 11):
        assert channel.add(change(seq))
    assert not channel.add(change(channels.RING))
    latest = channels.RING + 10
    assert channel.after(latest) == []
    assert channel.after(latest + 5) == []
    assert [frame.seq for frame in channel.after(latest - 3) or ()] == [latest - 2, latest - 1, latest]
    assert len(channel.after(10) or ()) == channels.RING
    assert channel.after(9) is None
    assert channel.add(change(latest + 2))
    assert channel.after(latest) is None
    assert [frame.seq for frame in channel.after(latest + 1) or ()] == [latest + 2]
    channel.lose()
    assert channel.after(latest + 2) is None
