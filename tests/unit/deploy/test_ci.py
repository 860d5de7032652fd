"""What .ci/run does with containers is skipped in one line where no engine is; where it fails the run fails, last."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


def tools(path: Path, *names: str) -> None:
    """Put more of the system's own programs there."""
    for name in names:
        found = shutil.which(name)
        assert found
        (path / name).symlink_to(found)


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
    tools(path, "seq", "sleep", "mkdir", "mktemp", "tail", "rm", "nohup", "grep", "tr", "cat")
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


@pytest.mark.parametrize("cannot", ["import", "network", "run"])
def test_an_engine_that_runs_no_container_is_a_skip(cannot: str, path: Path) -> None:
    """As in a sandbox: the engine answers, and then lacks what containers are made of."""
    tools(path, "mktemp", "tail", "rm", "tar", "cat", "timeout")
    fake(
        path,
        "docker",
        f'[ "$1" != {cannot} ] || {{ echo "no cgroups here" >&2; exit 125; }}; [ "$1" != import ] || cat >/dev/null',
    )
    for name in ("skopeo", "docker-registry", "docker-compose"):
        fake(path, name, "exit 0")
    told = containers(path)
    assert told[-1].endswith("the Docker engine runs no container here: no cgroups here")
    assert sum("skipped" in line for line in told) == 1


def test_an_engine_that_stays_is_a_failure(path: Path, tmp_path: Path) -> None:
    """Whatever the run was: nothing of it may be left, and whoever reads its status has to hear of it."""
    clone = tmp_path / "clone"
    (clone / ".ci").mkdir(parents=True)
    (clone / "deploy" / "image").mkdir(parents=True)
    shutil.copy(ROOT / ".ci" / "containers", clone / ".ci" / "containers")
    fake(clone / "deploy" / "image", "engine", '[ "$1" = start ] || { echo "it still runs" >&2; exit 1; }')
    tools(path, "mktemp", "tail", "rm", "tar", "cat", "timeout")
    fake(path, "docker", '[ "$1" = info ] || exit 125')
    for name in ("skopeo", "docker-registry", "docker-compose"):
        fake(path, name, "exit 0")
    words = [str(path / "bash"), str(clone / ".ci" / "containers")]
    done = subprocess.run(words, env={"PATH": str(path)}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "it still runs\n")


IDLE = """
import pytest
pytestmark = pytest.mark.skipif(True, reason="there is no engine")
def test_one() -> None: pass
def test_two() -> None: pass
"""
BUSY = IDLE.replace('pytestmark = pytest.mark.skipif(True, reason="there is no engine")', "@pytest.mark.skip")


@pytest.mark.parametrize(
    ("must", "status", "workers"), [("", 0, ()), ("1", 1, ()), ("1", 1, ("-p", "xdist", "-n", "1"))]
)
def test_where_tests_must_run_a_file_that_skips_them_all_fails(
    must: str, status: int, workers: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "test_idle.py").write_text(IDLE)
    (tmp_path / "test_busy.py").write_text(BUSY)
    words = ["-q", "-p", "tests.mustrun", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), *workers]
    command = [sys.executable, "-m", "pytest", *words, "-c", os.devnull, str(tmp_path)]
    env = os.environ | {"SIETCH_TESTS_MUST_RUN": must, "PYTHONPATH": str(ROOT)}
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take longer to load than all else here
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == status, done.stdout + done.stderr
    told = [line for line in done.stdout.splitlines() if "every test was skipped" in line]
    assert len(told) == status
    assert all("test_idle.py" in line for line in told)
