"""The verifier asks for restarts with files: here with its own words, in a folder of the test's."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from deploy.pipeline.errors import PipelineError
from deploy.pipeline.restarting import Restarter, restart_command
from tests.waiting import PATIENCE


def ask(folder: Path, service: str) -> subprocess.CompletedProcess[str]:
    """What the verifier runs for a service."""
    words = [word.replace("{service}", service) for word in shlex.split(restart_command(str(folder)))]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE)


def test_what_is_asked_is_done_before_the_answer_and_as_often(tmp_path: Path) -> None:
    done: list[str] = []
    with Restarter(tmp_path / "restart", done.append, ("rules", "bot")):
        for number, service in enumerate(("rules", "bot", "rules")):
            assert ask(tmp_path / "restart", service).returncode == 0
            assert len(done) == number + 1
    assert done == ["rules", "bot", "rules"]
    assert not (tmp_path / "restart").exists()


def test_what_may_not_be_restarted_or_cannot_is_said(tmp_path: Path) -> None:
    def fail(service: str) -> None:
        raise PipelineError(f"{service} does not come back")

    with Restarter(tmp_path / "restart", fail, ("rules",)):
        other, broken = ask(tmp_path / "restart", "room"), ask(tmp_path / "restart", "rules")
    assert (other.returncode, "room is not to be restarted, only rules" in other.stderr) == (1, True)
    assert (broken.returncode, "rules does not come back" in broken.stderr) == (1, True)


def test_a_link_in_the_way_of_an_answer_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    with Restarter(tmp_path / "restart", lambda service: None, ("rules",)):
        (tmp_path / "restart" / "room.new").symlink_to(elsewhere)
        assert "room is not to be restarted" in ask(tmp_path / "restart", "room").stderr
    assert not elsewhere.exists()
