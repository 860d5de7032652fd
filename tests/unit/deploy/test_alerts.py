"""Alerts ask for metrics that exist, each is tested and has its section in the runbook."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.cli.metrics import Known
from tests.unit.deploy.queries import faults

FOLDER = Path("deploy/prometheus")
needs_promtool = pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")


def alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_an_alert_asks_for_what_there_is(known: list[Known]) -> None:
    found = [f"{rule['alert']}: {wrong}" for rule in alerts() for wrong in faults(rule["expr"], known)]
    assert found == []
    assert len(alerts()) >= 15


def test_every_alert_says_what_to_do() -> None:
    anchors = {
        line.removeprefix("### ").strip().lower()
        for line in Path("docs/operations.md").read_text().splitlines()
        if line.startswith("### ")
    }
    for rule in alerts():
        page, _, anchor = rule["annotations"]["runbook_url"].partition("#")
        assert page == "docs/operations.md"
        assert anchor == rule["alert"].lower()
        assert anchor in anchors, f"docs/operations.md has no section {rule['alert']}"
        assert rule["labels"]["severity"] in ("page", "ticket")
    named = set(re.findall(r"^### (Sietch\w+)$", Path("docs/operations.md").read_text(), re.M))
    assert named == {rule["alert"] for rule in alerts()}, "a section for an alert that is gone"


def test_every_alert_is_made_to_fire_by_a_test() -> None:
    """And stays silent in the first, where all is well."""
    tests = yaml.safe_load((FOLDER / "tests" / "alerts.yml").read_text())["tests"]
    fired = {
        one["alertname"] for test in tests for one in test.get("alert_rule_test", ()) if one.get("exp_alerts")
    }
    assert fired == {rule["alert"] for rule in alerts()}
    assert "ALERTS" in tests[0]["promql_expr_test"][0]["expr"]


@needs_promtool
@pytest.mark.parametrize(
    "words",
    [
        ("check", "config", "--syntax-only", "prometheus.yml"),
        ("check", "rules", "--lint=all", "--lint-fatal", "alerts.yml"),
        ("test", "rules", "tests/alerts.yml"),
    ],
    ids=["config", "rules", "tests"],
)
def test_prometheus_itself_says_so(words: tuple[str, ...]) -> None:
    done = subprocess.run(["promtool", *words], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_service_is_scraped() -> None:
    jobs = yaml.safe_load((FOLDER / "prometheus.yml").read_text())["scrape_configs"]
    assert {job["job_name"] for job in jobs} >= {"room", "rules", "projection", "bot"}
    for job in jobs:
        for found in job.get("dns_sd_configs", ()):
            assert found["names"] == [job["job_name"]]
