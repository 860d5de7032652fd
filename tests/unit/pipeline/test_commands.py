"""The commands of the pipeline as people and jobs meet them: what they say, and how they end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deploy.pipeline import tools
from deploy.pipeline.bases import one, read_bases, within
from deploy.pipeline.errors import PipelineError

ROOT = Path(__file__).parents[3]


def pipeline(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deploy.pipeline", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_refusal_is_one_line_and_status_1(tmp_path: Path) -> None:
    assert pipeline("key", str(tmp_path)).returncode == 0
    words = [
        "registry.example/sietch",
        "--key",
        str(tmp_path / "sietch.key"),
        "--tag",
        "1",
        "--state",
        str(tmp_path),
    ]
    done = pipeline("publish", *words)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"pipeline: Refused: {tmp_path}/build.json is not there; build the image first: make image, then `build`"
    ]


def test_a_program_that_is_missing_is_named_with_its_package() -> None:
    with pytest.raises(PipelineError, match="'no-such-program' is not on PATH"):
        tools.run(["no-such-program"])


def test_the_last_words_of_a_program_that_fails_are_told() -> None:
    with pytest.raises(tools.Failed, match="ended with 3: sand") as caught:
        tools.run(["sh", "-c", "echo sand >&2; exit 3"])
    assert caught.value.status == 3
    with pytest.raises(PipelineError, match=r"took longer than 0\.2 s"):
        tools.run(["sleep", "5"], seconds=0.2)


def test_lines_are_told_as_they_come_and_the_status_is_the_callers_business() -> None:
    said: list[str] = []
    assert tools.stream(["sh", "-c", "echo one; echo two >&2; exit 4"], said.append) == 4
    assert said == ["one", "two"]


def test_the_environment_wins_over_the_checkouts_file_and_that_over_the_list(tmp_path: Path) -> None:
    place = tmp_path / "deploy" / "image" / "bases.env"
    place.parent.mkdir(parents=True)
    place.write_text("# images\nPYTHON_RUN_IMAGE=run:1\nPOSTGRES_IMAGE=postgres:1\nNATS_IMAGE=nats:1\n")
    (tmp_path / ".env").write_text(
        "POSTGRES_IMAGE=postgres:1@sha256:aa\nNATS_IMAGE=nats:1@sha256:bb\nOTHER=x\n"
    )
    named = read_bases(place, {"NATS_IMAGE": "own/nats:2"})
    assert named == {
        "PYTHON_RUN_IMAGE": "run:1",
        "POSTGRES_IMAGE": "postgres:1@sha256:aa",
        "NATS_IMAGE": "own/nats:2",
    }
    assert within(named) == {"PYTHON_RUN_IMAGE": "run:1"}
    with pytest.raises(PipelineError, match="does not name PROXY_IMAGE"):
        one(named, "PROXY_IMAGE")
    with pytest.raises(PipelineError, match="cannot be read"):
        read_bases(tmp_path / "absent.env")
