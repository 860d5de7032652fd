"""A lobby is started by an operator with a profile, on the store of running services, after a private backup."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import httpx
import psycopg
from typer.testing import CliRunner

from services.cli.profile import app
from services.embedded import Deployment
from services.verifier.room import PATIENCE, until


def _run(sietch: Deployment, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, [*words, "--database-url", sietch.database_url])
    return done.exit_code, done.output


def _rows(sietch: Deployment, code: str) -> dict[str, Any]:
    """All that the store has of a room."""
    with psycopg.connect(sietch.database_url) as store:
        found: dict[str, Any] = {}
        row = store.execute("SELECT id, to_jsonb(r) FROM rooms r WHERE code = %s", (code,)).fetchone()
        assert row is not None
        found["rooms"] = row[1]
        for table in ("seats", "tokens", "commits", "events"):
            query = f"SELECT to_jsonb(t) FROM {table} t WHERE room = %s ORDER BY to_jsonb(t)::text"
            found[table] = [one for (one,) in store.execute(query, (row[0],)).fetchall()]
    return found


def _lobby(http: httpx.Client, *, ready: bool) -> tuple[str, dict[str, str]]:
    made = http.post("/api/rooms", json={"player": "Ann", "settings": {"seats": 3}}).json()
    path = f"/api/rooms/{made['code']}"
    host = {"Authorization": f"Bearer {made['host_token']}"}
    mine = {"Authorization": f"Bearer {made['seat_token']}"}
    for _ in range(2):
        assert http.post(f"{path}/bots", json={}, headers=host).status_code == 201
    wish = {"faction": "guild", "ready": ready}
    assert http.patch(f"{path}/seats/1", json=wish, headers=mine).status_code == 200
    return made["code"], mine


def _start(sietch: Deployment, name: str, code: str, at: int, folder: Path) -> tuple[int, str]:
    words = ("start", name, "--room", code, "--at-version", str(at), "--backup-dir", str(folder))
    return _run(sietch, *words)


def test_a_fitting_lobby_begins_and_can_be_put_back(deployment: Deployment, tmp_path: Path) -> None:
    """[NEXUS-77, NEXUS-79]"""
    with httpx.Client(base_url=deployment.url, timeout=PATIENCE) as http:
        code, mine = _lobby(http, ready=True)
        other, _ = _lobby(http, ready=True)
        before, beside = _rows(deployment, code), _rows(deployment, other)
        at = before["rooms"]["lobby"]
        assert f"version {at}" in _run(deployment, "look", "--room", code)[1]
        status, said = _start(deployment, "guild-betrayal", code, at, tmp_path / "kept")
        assert status == 0, said
        (backup,) = (tmp_path / "kept").iterdir()
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
        assert stat.S_IMODE(backup.parent.stat().st_mode) == 0o700

        def asked() -> Any:
            shown = http.get(f"/api/rooms/{code}/view", headers=mine)
            found = shown.json()["view"] if shown.status_code == 200 else {}
            return found if found.get("offers") else None

        view = until(asked, "a question to the seat")
        assert (view["seat"], view["settings"]["modules"]) == ("guild", ["nexus"])
        room = http.get(f"/api/rooms/{code}").json()
        assert [seat["name"] for seat in room["seats"]] == ["Ann", "Bot 2", "Bot 3"]
        assert _rows(deployment, other) == beside
        assert "has begun" in _start(deployment, "guild-betrayal", code, at, tmp_path / "again")[1]
    assert "--replace-game" in _run(deployment, "restore", str(backup))[1]
    status, said = _run(deployment, "restore", str(backup), "--replace-game")
    assert status == 0, said
    assert _rows(deployment, code) == before


def test_a_lobby_that_does_not_fit_is_left_as_it_was(deployment: Deployment, tmp_path: Path) -> None:
    """Not ready, another version than was looked at, a faction that nobody has, a wrong name. [NEXUS-79]"""
    with httpx.Client(base_url=deployment.url, timeout=PATIENCE) as http:
        late, _ = _lobby(http, ready=False)
        code, _ = _lobby(http, ready=True)
    for room, name, off, why in (
        (late, "guild-betrayal", 0, "not ready yet: Ann"),
        (code, "guild-betrayal", -1, "look at it again"),
        (code, "atreides-inspection", 0, "nobody has asked for atreides"),
        (code, "spice", 0, "no profile 'spice'"),
    ):
        before = _rows(deployment, room)
        status, said = _start(deployment, name, room, before["rooms"]["lobby"] + off, tmp_path / "none")
        assert status != 0
        assert why in said
        assert _rows(deployment, room) == before
    assert not (tmp_path / "none").exists()
    (open_to_all := tmp_path / "open").mkdir()
    open_to_all.chmod(0o755)
    status, said = _start(deployment, "guild-betrayal", code, before["rooms"]["lobby"], open_to_all)
    assert (status, list(open_to_all.iterdir())) == (1, [])
    assert "chmod 700" in said
    assert _rows(deployment, code) == before
    assert "no room ZZZZZZ" in _start(deployment, "nexus-core", "ZZZZZZ", 1, tmp_path / "none")[1]
