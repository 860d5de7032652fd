"""What makes sure that the network of the verifier leads nowhere, tried on listeners of the test's own."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from deploy.pipeline.engine import Docker
from deploy.pipeline.errors import PipelineError
from deploy.pipeline.isolated import WAIT, Isolated, Servers
from tests.waiting import PATIENCE

NOBODY = "127.0.0.1:9"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def listener() -> Iterator[str]:
    """The address of somebody who takes connections."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def wait(*places: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", WAIT, *places], capture_output=True, text=True, check=False)


def test_a_place_outside_that_answers_ends_it(listener: str) -> None:
    done = wait(NOBODY, listener, "--", listener)
    assert done.returncode == 1
    assert f"the network leads out: {listener} answers" in done.stderr


def test_it_goes_on_when_servers_answer_and_nobody_else_does(listener: str) -> None:
    assert wait(NOBODY, "--", listener).returncode == 0


def test_logs_go_into_a_folder_of_ours_or_nowhere(tmp_path: Path) -> None:
    made = Isolated(Docker(), "sietch", Servers("postgres", "nats"), print)
    made.logs(tmp_path / "logs")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PipelineError, match="where its logs belong"):
        made.logs(tmp_path / "linked")


class Crowd(Docker):
    """An engine that cannot start the waiter, and of which more runs than its caller knows."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, ...]] = []

    def ask(self, *words: str, seconds: float = 120, env: Mapping[str, str] | None = None) -> str:
        self.asked.append(words)
        if words[0] == "run":
            raise PipelineError("`docker run …` took longer than 300 s")
        return "postgres-id nats-id waiter-id\n" if words[0] == "ps" else ""


def test_what_hangs_is_removed_as_well() -> None:
    engine = Crowd()
    made = Isolated(engine, "sietch", Servers("postgres", "nats"), print)
    with pytest.raises(PipelineError, match="took longer"), made:
        pytest.fail("it did not start")
    assert ("ps", "--all", "--quiet", "--filter", f"name={made.network}-") in engine.asked
    assert engine.asked[-2:] == [
        ("rm", "--force", "--volumes", "postgres-id", "nats-id", "waiter-id"),
        ("network", "rm", made.network),
    ]


def test_a_run_that_is_ended_removes_what_it_started(tmp_path: Path) -> None:
    """SIGTERM while the verifier talks: its client ends, and so does everything of the run."""
    removed = tmp_path / "removed"
    script = f"""
import os, signal, sys
from pathlib import Path
from deploy.pipeline import __main__ as pipeline
from deploy.pipeline.tools import stream

def app(standalone_mode):
    try:
        stream(["sh", "-c", "echo here; exec sleep 600"], lambda line: os.kill(os.getpid(), signal.SIGTERM))
    finally:
        Path({str(removed)!r}).touch()

pipeline.app = app
pipeline.main()
"""
    done = subprocess.run([sys.executable, "-c", script], timeout=2 * PATIENCE, check=False, cwd=ROOT)
    assert done.returncode == 143
    assert removed.exists()
