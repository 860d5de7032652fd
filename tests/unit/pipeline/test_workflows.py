"""The workflows stay thin and tight: pinned, with least permissions, and without secrets where strangers' code runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def _read(path: Path) -> dict[Any, Any]:
    found = yaml.safe_load(path.read_text())
    assert isinstance(found, dict)
    return found


def _steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in _read(path)["jobs"].values() for step in job["steps"]]


def test_they_are_there() -> None:
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "publish.yml", "scan.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_by_its_full_hash_and_says_its_version(path: Path) -> None:
    lines = [line.strip() for line in path.read_text().splitlines() if "uses:" in line]
    assert lines
    for line in lines:
        assert re.fullmatch(r"- uses: actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_permissions_are_given_job_by_job(path: Path) -> None:
    workflow = _read(path)
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        writes = {scope for scope, may in job["permissions"].items() if may != "read"}
        assert writes == ({"packages"} if name == "publish" else set()), name
        assert job["timeout-minutes"] <= 60
    for step in _steps(path):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_secret_is_where_strangers_code_runs(path: Path) -> None:
    workflow = _read(path)
    triggers = workflow[True]  # YAML reads the word `on` as a truth value
    assert "pull_request_target" not in triggers
    assert "workflow_run" not in triggers
    holders = [
        name for name, job in workflow["jobs"].items() if re.search(r"secrets\.|github\.token", str(job))
    ]
    assert holders == (["publish"] if path.name == "publish.yml" else [])
    if holders:
        assert set(triggers) == {"push"}
        assert set(triggers["push"]) == {"tags"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_what_they_run_is_ours_and_takes_nothing_from_the_event(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for step in _steps(path):
        if (command := step.get("run")) is None:
            continue
        assert "${{" not in command
        program, *words = command.split()
        if program == "make":
            assert words[0] in targets, command
        elif words[:2] == ["-m", "deploy.pipeline"]:
            assert program == ".venv/bin/python"
        else:
            assert (ROOT / program).stat().st_mode & 0o100, command


def test_what_the_container_part_needs_is_installed_before_it_runs() -> None:
    commands = [step["run"] for step in _steps(ROOT / ".github" / "workflows" / "ci.yml") if "run" in step]
    assert commands == [".ci/registry", ".ci/run"]


def test_the_publication_waits_for_the_verifier() -> None:
    jobs = _read(ROOT / ".github" / "workflows" / "publish.yml")["jobs"]
    assert jobs["verify"]["needs"] == "build"
    assert jobs["publish"]["needs"] == "verify"
    assert "if" not in jobs["publish"]


def test_the_scanner_of_workflows_finds_nothing() -> None:
    program = shutil.which("zizmor", path=sysconfig.get_path("scripts")) or "zizmor"
    words = [program, "--offline", "--no-progress", "--format=plain", *map(str, WORKFLOWS)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
