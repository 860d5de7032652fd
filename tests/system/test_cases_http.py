"""Every conformance case over HTTP, against the whole deployment: the same files as in process, the same outcome."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from services.cases.http import DeploymentError, http_maker
from services.cases.model import find_cases, read_case
from services.cli.case import app
from services.embedded import Deployment
from services.rules.staging import MalformedError

FOLDER = Path(__file__).resolve().parents[1] / "cases"
TABLE = {"seats": ["atreides", "harkonnen"], "phase": "storm", "storm": 9}

pytestmark = pytest.mark.slow


def test_all_cases_hold_over_http(deployment: Deployment) -> None:
    paths = find_cases([FOLDER])
    done = CliRunner().invoke(app, ["run", str(FOLDER), "--url", deployment.url, "--json"])
    assert done.exit_code in (0, 1), done.output
    found = json.loads(done.stdout)["cases"]
    assert [row for row in found if row["failed"]] == []
    assert [row["case"] for row in found] == [str(path) for path in paths]
    skipped = {row["case"]: row["skipped"] for row in found if row["skipped"]}
    reasons = {str(path): case.why_not_http for path in paths if not (case := read_case(path)).http}
    assert skipped == reasons
    assert all(reasons.values()), "a case that cannot run over HTTP says why"


def test_a_wrong_expectation_fails_over_http(deployment: Deployment, tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text(
        'rules = ["STORM-03"]\nabout = "x"\n[table]\nseats = ["guild", "emperor"]\n[expect]\nstorm = 3\n'
    )
    done = CliRunner().invoke(app, ["run", str(path), "--url", deployment.url])
    assert done.exit_code == 1
    assert "storm: is 18, not 3" in done.stdout


def test_an_impossible_table_is_malformed_over_http(deployment: Deployment, tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text(
        'rules = ["STORM-03"]\nabout = "x"\n[table]\nseats = ["guild", "emperor"]\nstep = "x"\n[expect]\nstorm = 3\n'
    )
    done = CliRunner().invoke(app, ["run", str(path), "--url", deployment.url])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "case.toml: table.step: 'x' is no step" in done.stderr
    with http_maker(deployment.url) as make, pytest.raises(MalformedError, match="seats"):
        make({"phase": "storm"})


def test_refusals_carry_the_codes_of_the_engine(deployment: Deployment) -> None:
    with http_maker(deployment.url) as make:
        world = make(TABLE)
        first, second = (world.asked(seat)[0] for seat in world.waiting())
        before = world.table()
        assert world.act(first.seat, first, {"dial": 99}) == "illegal"
        assert world.table() == before
        assert world.act(first.seat, first, {"dial": 2}) == ""
        assert world.act(first.seat, first, {"dial": 2}) == "stale"
        assert world.expire(first.seat, first) == "stale"
        assert world.expire(second.seat, second) == ""
        assert world.table() != before


def test_only_the_host_of_a_scenario_lets_a_clock_run_out(deployment: Deployment) -> None:
    with httpx.Client(base_url=deployment.url, timeout=20) as client:
        staged = client.post("/api/scenarios", json={"table": TABLE}).json()
        path = f"/api/rooms/{staged['code']}"
        seat, token = next(iter(staged["seats"].items()))
        body = {"seat": seat, "offer": "x"}
        for sent, status in ((None, 401), (token, 403), (staged["host_token"], 409)):
            headers = {"authorization": f"Bearer {sent}"} if sent else {}
            assert client.post(f"{path}/expire", json=body, headers=headers).status_code == status
            told = client.get(f"{path}/table", headers=headers).status_code
            assert told == (200 if sent == staged["host_token"] else status)
        plain = client.post("/api/rooms", json={}).json()
        host = {"authorization": f"Bearer {plain['host_token']}"}
        for answer in (
            client.post(f"/api/rooms/{plain['code']}/expire", json=body, headers=host),
            client.get(f"/api/rooms/{plain['code']}/table", headers=host),
        ):
            assert (answer.status_code, answer.json()["code"]) == (404, "no_scenarios")


def test_a_deployment_without_scenarios_refuses(
    own_deployment: Callable[..., Deployment], tmp_path: Path
) -> None:
    sietch = own_deployment(env={"SIETCH_SCENARIOS": "0"})
    with http_maker(sietch.url) as make, pytest.raises(DeploymentError, match="SIETCH_SCENARIOS=1"):
        make(TABLE)
    done = CliRunner().invoke(app, ["run", str(FOLDER / "storm"), "--url", sietch.url])
    assert done.exit_code == 1
    assert "stages no table: 404" in done.stderr
