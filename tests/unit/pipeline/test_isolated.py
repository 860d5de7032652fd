"""What makes sure that the network of the verifier leads nowhere, tried on listeners of the test's own."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.pipeline.engine import Docker
from deploy.pipeline.errors import PipelineError
from deploy.pipeline.isolated import WAIT, Isolated, Servers

NOBODY = "127.0.0.1:9"


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
