"""The front door: headers, origins, cookies, limits, malformed bodies, pages, scenarios, the documents."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import psycopg
import pytest

from services.room.http.pages import Site
from shared.ops import scrape
from tests.waiting import until


async def test_every_answer_has_the_security_headers(server: Any) -> None:
    for path in ("/limits", "/rooms/ZZZZZZ", "/nothing"):
        answer = await server.call("GET", path)
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


FOREIGN = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": "http://["},
    {"origin": ""},
    {"sec-fetch-site": "cross-site"},
]


async def test_a_page_of_another_site_cannot_write(server: Any) -> None:
    host = server.url.removeprefix("http://")
    for headers in FOREIGN:
        refused = await server.call("POST", "/rooms", {}, **headers)
        assert (refused.status_code, refused.json()["code"]) == (403, "not_yours")
    assert (await server.call("POST", "/rooms", {}, origin=f"http://{host}")).status_code == 201
    form = await server.call("POST", "/rooms", b"{}", **{"content-type": "text/plain"})
    assert form.status_code == 400


async def test_the_cookie_keeps_host_and_seat_of_one_room(server: Any) -> None:
    made = await server.call("POST", "/rooms", {"player": "Ann"})
    code = made.json()["code"]
    cookie = made.headers["set-cookie"]
    assert f"Path=/api/rooms/{code};" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    pair = cookie.partition(";")[0]
    seen = await server.call("GET", f"/rooms/{code}", cookie=pair)
    assert seen.json()["you"] == {"host": True, "seat": 1, "scope": "seat:play"}
    assert (await server.call("POST", f"/rooms/{code}/bots", {}, cookie=pair)).status_code == 201
    # A stale cookie is no error, only nobody; a stale header is.
    assert (await server.call("GET", f"/rooms/{code}", cookie=f"sietch_{code}=x")).json()["you"] == {
        "host": False
    }
    assert (await server.call("GET", f"/rooms/{code}", token="x")).status_code == 401


async def test_the_directory_tells_how_far_each_game_is(server: Any) -> None:
    game = await server.started()
    await server.call("POST", "/rooms", {"name": "waiting"})
    await game.act(game.seats[0], 0, str(uuid4()))
    told = {room["state"]: room for room in (await server.call("GET", "/rooms")).json()}
    assert (told["lobby"]["turn"], told["lobby"]["phase"]) == (0, "")
    assert (told["running"]["turn"], told["running"]["phase"]) == (2, "bidding")


async def test_the_cookie_of_who_sits_at_every_seat_still_has_the_host(server: Any) -> None:
    made = await server.call("POST", "/rooms", {"player": "Ann"})
    code = made.json()["code"]
    cookie = made.headers["set-cookie"].partition(";")[0]
    for round_ in range(4):  # sits down and leaves again: tokens that are worth nothing crowd nobody out
        joined = await server.call("POST", f"/rooms/{code}/seats", {"name": "Ben"}, cookie=cookie)
        cookie = joined.headers["set-cookie"].partition(";")[0]
        seat = f"/rooms/{code}/seats/{joined.json()['seat']}"
        assert (await server.call("DELETE", seat, cookie=cookie)).status_code == 200, round_
    for number in range(2, 7):
        joined = await server.call("POST", f"/rooms/{code}/seats", {"name": f"P{number}"}, cookie=cookie)
        assert joined.json()["seat"] == number
        cookie = joined.headers["set-cookie"].partition(";")[0]
    assert cookie.count(".") == 6
    assert (await server.call("POST", f"/rooms/{code}/start", {"force": True}, cookie=cookie)).json() == {
        "ok": True
    }


async def test_tokens_of_a_seat_have_a_limit_that_is_published(server: Any) -> None:
    game = await server.started()
    most = (await server.call("GET", "/limits")).json()["tokens_per_seat"]
    own = game.tokens[game.seats[0]]
    number = next(n for n, faction in game.factions.items() if faction == game.seats[0])
    path = f"/rooms/{game.code}/seats/{number}/tokens"
    issued = [await server.call("POST", path, {"scope": "seat:play"}, own) for _ in range(most + 3)]
    assert [reply.status_code for reply in issued] == [201] * (most - 1) + [409] * 4
    assert issued[-1].json()["code"] == "too_many_tokens"
    assert (await server.call("DELETE", f"{path}/{issued[0].json()['id']}", token=own)).status_code == 200
    assert (await server.call("POST", path, {"scope": "seat:play"}, own)).status_code == 201


NAMES = [
    ("  Sand\u200b \t\n dune ", "Sand dune"),
    ("\u202eevil\u202c \u2066x\u2069", "evil x"),
    ("e\u0301", "\u00e9"),
    ("Z" + "\u0336\u0337\u0338\u0335" * 10, "Z\u0336\u0337\u0338"),
    ("\U0001f42a\ufe0f", "\U0001f42a\ufe0f"),
    ("\u0634\u0627\u0646\u064a", "\u0634\u0627\u0646\u064a"),
    ("x" * 60, "x" * 40),
    ("\u3164", None),
    ("\u2800\u00a0", None),
    ("\u0301", None),
    ("\u200f\u200d\ufeff", None),
    ("\u0007\u001b", None),
    ("x" * 10_000, None),
]
"""Names as people send them, and as everybody sees them; None for those that are refused."""


async def test_names_are_what_can_be_seen_of_them(server: Any) -> None:
    for sent, shown in NAMES:
        made = await server.call("POST", "/rooms", {"name": sent})
        if shown is None:
            assert (made.status_code, made.json()["code"]) == (400, "malformed"), sent
        else:
            state = await server.call("GET", f"/rooms/{made.json()['code']}")
            assert state.json()["name"] == shown


MISFITS = [
    (b"{", 400),
    (b"[]", 400),
    (b'{"nme": "x"}', 400),
    (b'{"name": ""}', 400),
    (b'{"name": "\\u0000"}', 400),
    (b'{"name": "\xff"}', 400),
    (b'{"settings": {"seats": 7}}', 400),
    (b'{"settings": {"mode": "easy"}}', 400),
    (b'{"settings": {"rulings": ' + b'{"a":' * 200 + b"1" + b"}" * 200 + b"}}", 400),
    (b'{"name": ' + b"[" * 8000 + b"]" * 8000 + b"}", 400),
    (b'{"name": "' + b"x" * 20_000 + b'"}', 413),
]


async def test_bodies_that_do_not_fit_are_refused_with_a_reason(server: Any) -> None:
    for body, status in MISFITS:
        refused = await server.call("POST", "/rooms", body)
        assert refused.status_code == status, body[:40]
        error = refused.json()
        assert error["code"] in ("malformed", "too_large")
        assert error["text"]


async def test_wrong_tokens_codes_and_parameters(server: Any) -> None:
    game = await server.started()
    path = f"/rooms/{game.code}"
    action = {"command_id": str(uuid4()), "offer": "x", "answer": {}}
    assert (await server.call("POST", f"{path}/actions", action)).status_code == 401
    assert (await server.call("POST", f"{path}/actions", action, game.host)).status_code == 403
    assert (
        await server.call("POST", f"{path}/actions", {"offer": "x"}, game.tokens[game.seats[0]])
    ).status_code == 400
    other = await server.started()
    assert (
        await server.call("POST", f"{path}/actions", action, other.tokens[other.seats[0]])
    ).status_code == 401
    foreign = {"command_id": str(uuid4()), "offer": f"{game.seats[1]}-0", "answer": {}}
    stale = await server.call("POST", f"{path}/actions", foreign, game.tokens[game.seats[0]])
    assert (stale.status_code, stale.json()["code"]) == (409, "stale")
    for number in ("1e400", "1" * 5000, '"\xff"'):
        raw = f'{{"command_id": "{uuid4()}", "offer": "x", "answer": {{"a": {number}}}}}'.encode("latin-1")
        unread = await server.call("POST", f"{path}/actions", raw, game.tokens[game.seats[0]])
        assert (unread.status_code, unread.json()["code"]) == (400, "malformed")
    for wrong in ("/rooms/abc", "/rooms/ABC%2F12", "/rooms/IIIIII"):
        assert (await server.call("GET", wrong)).status_code == 404
    for wrong in ("-1", "x", "1e3", "9" * 13, "%C2%B2", "%00"):
        assert (await server.call("GET", f"{path}/stream?after={wrong}")).status_code == 400, wrong
    assert (await server.call("PATCH", f"{path}/seats/x", {}, game.host)).status_code == 400
    unknown = await server.call("PUT", "/rooms", {})
    assert (unknown.status_code, unknown.headers["allow"]) == (405, "GET, POST")
    assert (await server.call("GET", "/rooms?state=open")).status_code == 400


async def test_a_body_that_trickles_in_is_cut_off(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.room.http.access.BODY_SECONDS", 0.2)

    async def slowly() -> AsyncIterator[bytes]:
        yield b'{"name": '
        await asyncio.sleep(1)
        yield b'"x"}'

    headers = {"content-type": "application/json"}
    answer = await server.http.post("/api/rooms", content=slowly(), headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (408, "too_slow")


async def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_failure_of_ours(server: Any) -> None:
    host, _, port = server.url.removeprefix("http://").partition(":")
    failures = "sietch_room_http_failures_total "
    before = next(line for line in (await scrape.render()).decode().splitlines() if failures in line)
    head = f"POST /api/rooms HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
    for rest in (
        "content-length: 100\r\n\r\n{",
        "transfer-encoding: chunked\r\n\r\n1\r\n{\r\nFFFFFFFFFFFFFFFFFF\r\n",
    ):
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write((head + rest).encode())
        await asyncio.sleep(0.2)
        writer.close()
    await asyncio.sleep(0.2)
    assert before in (await scrape.render()).decode()


async def test_more_changes_than_connections_are_asked_to_come_again(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (await server.call("POST", "/rooms", {})).json()["code"]
    # Somebody holds the room, and every connection waits for it.
    async with server.service.lobbies.change(code):
        lobbies = await server.service.lobbies.loaded()
        monkeypatch.setattr(lobbies._engine.pool, "_timeout", 0.2)
        joins = [
            asyncio.create_task(server.call("POST", f"/rooms/{code}/seats", {"name": "x"})) for _ in range(12)
        ]
        # Eight connections, one of which holds the room.
        await until(lambda: sum(join.done() for join in joins) >= 5, "refusals")
        done = [join for join in joins if join.done()]
        assert {join.result().status_code for join in done} == {503}
        assert all("retry-after" in join.result().headers for join in done)
    statuses = sorted([(await join).status_code for join in joins])
    assert statuses == [201] * 6 + [409] + [503] * 5


async def test_a_seat_sees_its_own_clock_only(server: Any) -> None:
    game = await server.started(clock={"seconds": {"turn": 3600}})
    seat, other = game.seats
    clocks = (await server.call("GET", f"/rooms/{game.code}", token=game.tokens[seat])).json()["you"][
        "clocks"
    ]
    assert list(clocks) == [f"{seat}-0"]
    assert 3000 < clocks[f"{seat}-0"] <= 3600
    assert other not in str(clocks)
    assert "clocks" not in (await server.call("GET", f"/rooms/{game.code}")).json()["you"]


async def test_limits_are_published_and_hold(replica: Any) -> None:
    server = await replica(rate_factor=0.1)
    limits = (await server.call("GET", "/limits")).json()
    burst = int(limits["rates"]["create"]["burst"])
    codes = [(await server.call("POST", "/rooms", {})).status_code for _ in range(burst)]
    assert codes == [201] * burst
    refused = await server.call("POST", "/rooms", {})
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many")
    assert 1 <= int(refused.headers["retry-after"]) <= 60 / limits["rates"]["create"]["per_minute"] + 1


async def test_invented_tokens_share_the_limits_of_their_address(replica: Any) -> None:
    server = await replica(rate_factor=0.01)
    made = (await server.call("POST", "/rooms", {"player": "Ann"})).json()
    code, path = made["code"], f"/rooms/{made['code']}"
    own = await server.call("GET", path, token=made["seat_token"])
    statuses = [own.status_code]
    for number in range(30):
        invented = {"token": f"x{number}"} if number % 2 else {"cookie": f"sietch_{code}=x{number}"}
        statuses.append((await server.call("GET", path, **invented)).status_code)
    assert statuses[0] == 200
    assert statuses.count(429) > 10
    # The seat's own token has limits of its own, whoever else is at its address.
    assert (await server.call("GET", path, token=made["seat_token"])).status_code == 200


async def test_a_scenario_gives_a_token_for_each_seat_and_shows_the_table(
    replica: Any, projection: Any
) -> None:
    closed = await replica()
    table = {"table": {"seats": ["fremen", "guild"], "turn": 2}}
    assert (await closed.call("POST", "/scenarios", table)).status_code == 404
    server = await replica(scenarios=True)
    staged = (await server.call("POST", "/scenarios", table)).json()
    assert list(staged["seats"]) == ["fremen", "guild"]
    path = f"/rooms/{staged['code']}"
    view = (await server.call("GET", f"{path}/view", token=staged["seats"]["guild"])).json()
    assert view["view"] == {"n": 1, "audience": "guild"}
    action = {"command_id": str(uuid4()), "offer": "guild-0", "answer": {"more": 1}}
    assert (await server.call("POST", f"{path}/actions", action, staged["seats"]["guild"])).status_code == 200
    shown = (await server.call("GET", f"{path}/table", token=staged["host_token"])).json()
    assert shown["table"] == {"n": 2, "audience": "table"}
    assert [event["event"] for event in shown["events"]] == ["GameBegan", "Answered", "Noted"]
    assert (await server.call("GET", f"{path}/table", token=staged["seats"]["guild"])).status_code == 403
    assert (await server.call("GET", f"{path}/table")).status_code == 401
    assert (await server.call("GET", "/rooms")).json() == []
    for wrong in ({"seats": ["nobody"]}, {"seats": []}, {"seats": ["guild", "guild"]}, {}):
        assert (await server.call("POST", "/scenarios", {"table": wrong})).status_code == 400
    game = await server.started()
    assert (await server.call("GET", f"/rooms/{game.code}/table", token=game.host)).status_code == 404


def test_static_files_lie_under_a_hash_that_changes_with_them(tmp_path: Path) -> None:
    (tmp_path / "static" / "js").mkdir(parents=True)
    (tmp_path / "templates").mkdir()
    (tmp_path / "static" / "js" / "app.js").write_text("1")
    (tmp_path / "templates" / "home.html").write_text("<script src=\"{{ static('js/app.js') }}\">{{ '<' }}")
    site = Site(tmp_path)
    before = bytes(site.page("home.html").body).decode()
    assert f'src="/static/{site.hash}/js/app.js"' in before
    assert before.endswith("&lt;")
    (tmp_path / "static" / "js" / "app.js").write_text("22")
    assert bytes(site.page("home.html").body).decode() != before
    with pytest.raises(LookupError, match="missing"):
        site.url("missing.js")


async def test_static_paths_cannot_leave_the_folder(server: Any) -> None:
    for path in ("/static/../settings.py", "/static/%2e%2e/settings.py", "/static//etc/passwd", "/static/"):
        answer = await server.http.get(path)
        assert answer.status_code == 404, path
    moved = await server.http.get("/r/abcdef", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (308, "/r/ABCDEF")


async def test_health_metrics_and_the_document(server: Any) -> None:
    assert (await server.http.get("/readyz")).json() == {"status": "ready"}
    document = (await server.call("GET", "/openapi.json")).json()
    assert "/api/rooms/{code}/actions" in document["paths"]
    assert (await server.http.get("/metrics")).status_code == 404
    told = (await scrape.render()).decode()
    assert 'sietch_room_http_seconds_count{method="GET",route="/api/openapi.json",status="200"}' in told


async def test_nothing_secret_is_told_by_errors(
    server: Any, rules: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await server.started()
    seat = game.seats[0]

    async def broken(_: object) -> None:
        raise RuntimeError("the traitor is feyd_rautha")

    monkeypatch.setattr(server.service.store, "head", broken)
    failed = await game.act(seat, 0, str(uuid4()))
    assert failed.status_code == 500
    assert failed.json()["code"] == "internal"
    assert "feyd" not in failed.text
    assert "content-security-policy" in failed.headers


async def test_a_room_has_no_secret_of_another_in_its_rows(server: Any, database_url: str) -> None:
    game = await server.started()
    with psycopg.connect(database_url) as connection:
        text = str(connection.execute("SELECT r::text, t::text FROM rooms r, tokens t").fetchall())
    for token in (game.host, *game.tokens.values()):
        assert token not in text
    shown = (await server.call("GET", f"/rooms/{game.code}")).text
    assert "bot_key" not in shown
    assert set(msgspec.json.decode(shown)["you"]) == {"host"}
