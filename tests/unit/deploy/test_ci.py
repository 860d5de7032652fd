"""What .ci/run does with containers is skipped in one line where no engine is; where it fails the run fails, last."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TOOLS = ("bash", "dirname", "id", "env")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A PATH with the shell's own tools and nothing else."""
    for name in TOOLS:
        found = shutil.which(name)
        assert found
        (tmp_path / name).symlink_to(found)
    return tmp_path


def fake(path: Path, name: str, script: str) -> None:
    """Put a program there."""
    (path / name).write_text(f"#!{shutil.which('sh')}\n{script}\n")
    (path / name).chmod(0o755)


def containers(path: Path) -> list[str]:
    """The lines that the script prints; it has to end well."""
    words = [str(path / "bash"), str(ROOT / ".ci" / "containers")]
    done = subprocess.run(words, env={"PATH": str(path)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    return done.stdout.splitlines()


def test_without_docker(path: Path) -> None:
    assert containers(path) == ["containers: skipped (image, compose, publication): no Docker is installed"]


def test_without_what_moves_images(path: Path) -> None:
    fake(path, "docker", "exit 1")
    (line,) = containers(path)
    assert "skopeo is not installed" in line


def test_with_a_client_but_no_engine(path: Path) -> None:
    fake(path, "docker", "exit 1")
    for name in ("skopeo", "docker-registry", "docker-compose"):
        fake(path, name, "exit 0")
    (line,) = containers(path)
    assert line.endswith("no Docker engine answers, and none is installed")


@pytest.mark.parametrize(
    ("of_containers", "of_tests", "of_run"), [(0, 0, 0), (3, 0, 3), (0, 2, 2), (3, 2, 2)]
)
def test_the_tests_come_last_and_no_failure_is_lost(
    of_containers: int, of_tests: int, of_run: int, path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    clone = tmp_path_factory.mktemp("clone")
    (clone / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", clone / ".ci" / "run")
    fake(clone / ".ci", "containers", f"exit {of_containers}")
    fake(path, "make", f'[ "$1" = test ] || exit 0; echo "1 passed"; exit {of_tests}')
    words = [str(path / "bash"), str(clone / ".ci" / "run")]
    done = subprocess.run(words, env={"PATH": str(path)}, capture_output=True, text=True, check=False)
    assert done.returncode == of_run, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "1 passed"
    assert ("containers: FAILED with status 3" in done.stdout) == bool(of_containers)


def test_an_engine_that_does_not_start_is_a_skip_and_nothing_stays(path: Path, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may start an engine")
    for name in ("seq", "sleep", "mkdir", "tail", "rm", "nohup", "grep", "tr", "cat"):
        found = shutil.which(name)
        assert found
        (path / name).symlink_to(found)
    for name in ("docker", "dockerd"):
        fake(path, name, "echo it cannot; exit 1")
    for name in ("skopeo", "docker-registry", "docker-compose"):
        fake(path, name, "exit 0")
    engine = tmp_path / "engine"
    words = [str(path / "bash"), str(ROOT / ".ci" / "containers")]
    env = {"PATH": str(path), "SIETCH_ENGINE": str(engine)}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = done.stdout.splitlines()
    assert line.endswith("no Docker engine can run here")
    assert "it cannot" in done.stderr, "the engine's own words"
    assert not (engine / "started").exists()
