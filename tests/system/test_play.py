"""`sietch play`: a whole game through the services is the game that one process plays."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from services.arena.report import factions_for
from services.cases.http import http_maker
from services.cli.play import app
from services.cli.verify import app as verify
from services.embedded import Deployment

pytestmark = pytest.mark.slow

KEYS = {"result", "turns", "commits", "events", "seconds", "digest", "seats", "seed"}


def play(*words: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    assert done.stderr == "", "for programs, nothing but the report"
    report: dict[str, Any] = json.loads(done.stdout)
    assert report.keys() == KEYS
    return report


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--seats", "6", "--mode", "basic", "--seed", "7"], id="six seats, seed 7"),
        pytest.param(
            ["--seats", "3", "--seed", "2", "--policy", "random", "--last-turn", "4"], id="random play"
        ),
    ],
)
def test_the_same_game_through_services_and_in_process(deployment: Deployment, words: list[str]) -> None:
    alone = play(*words, "--in-process")
    through = play(*words, "--url", deployment.url)
    assert through.pop("seconds") > 0
    assert alone.pop("seconds") > 0
    assert through == alone
    assert through["result"]["winners"]
    assert set(through["result"]["winners"]) <= set(factions_for(int(words[1]), through["seed"]))
    assert through["commits"] > 100


def test_people_see_the_game_go_on(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIETCH_URL", deployment.url)
    done = CliRunner().invoke(app, ["--seats", "2", "--seed", "4", "--last-turn", "1"])
    assert done.exit_code == 0, done.output
    assert " won in turn 1 (" in done.stdout
    assert "seed 4" in done.stderr
    assert "turn 1, " in done.stderr


def test_what_the_deployment_refuses_is_told(deployment: Deployment) -> None:
    done = CliRunner().invoke(app, ["--mode", "simple", "--url", deployment.url])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "sietch: POST /api/rooms: 400" in done.stderr


def test_the_store_that_they_leave_is_whole(deployment: Deployment) -> None:
    """Whole games, and a staged table, which no events lead to."""
    with http_maker(deployment.url) as make:
        world = make({"seats": ["atreides", "harkonnen"], "phase": "storm"})
        first = world.asked(world.waiting()[0])[0]
        assert world.act(first.seat, first, first.default) == ""
    game = play("--seats", "2", "--seed", "4", "--last-turn", "1", "--url", deployment.url)
    done = CliRunner().invoke(verify, ["store", "--database-url", deployment.database_url, "--json"])
    found = json.loads(done.stdout)
    assert found["faults"] == []
    assert done.exit_code == 0
    assert found["rooms"] >= 2
    assert found["commits"] >= game["commits"] + 2


def test_a_program_of_ones_own_plays_a_seat_as_documented(deployment: Deployment) -> None:
    """The program of `docs/bots.md`, word for word, beside a house bot. It would hang if it answered nothing."""
    page = Path(__file__).parents[2] / "docs" / "bots.md"
    found = re.search(r"```python\n(import json.*?)```", page.read_text("utf-8"), re.S)
    assert found is not None
    names: dict[str, Any] = {}
    exec(found[1], names)
    with httpx.Client(base_url=f"{deployment.url}/api", timeout=60) as http:
        made = http.post("/rooms", json={"name": "here", "player": "Ann"}).json()
        host = {"Authorization": f"Bearer {made['host_token']}"}
        room = f"/rooms/{made['code']}"
        http.patch(f"{room}/settings", json={"seats": 2, "last_turn": 1}, headers=host).raise_for_status()
        http.post(f"{room}/bots", json={}, headers=host).raise_for_status()
        mine = {"Authorization": f"Bearer {made['seat_token']}"}
        http.patch(f"{room}/seats/1", json={"ready": True}, headers=mine).raise_for_status()
        http.post(f"{room}/start", json={}, headers=host).raise_for_status()
    result = names["play"](
        deployment.url, made["code"], made["seat_token"], lambda view, offer: offer["default"]
    )
    assert result["turn"] == 1
    assert result["winners"]
