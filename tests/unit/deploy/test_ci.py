"""What .ci/run does with containers is skipped in one line, and without failing, on a machine that has no engine."""

from __future__ import annotations

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
