"""The command line's root: what it lists, and how it speaks when something is wrong."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from services.cli import up
from services.cli.main import GROUPS, build


def test_help_lists_every_group_without_importing_it() -> None:
    done = CliRunner().invoke(build(["--help"]), ["--help"])
    assert done.exit_code == 0
    for name, (_, text) in GROUPS.items():
        assert name in done.output
        assert text.split(".")[0][:20] in done.output


@pytest.mark.parametrize("name", list(GROUPS))
def test_each_group_has_help_of_its_own(name: str) -> None:
    words = [name, "--help"]
    done = CliRunner().invoke(build(words), words)
    assert done.exit_code == 0, done.output
    assert "Usage:" in done.output


def test_an_unknown_command_is_refused() -> None:
    done = CliRunner().invoke(build(["spice"]), ["spice"])
    assert done.exit_code == 2
    assert "No such command 'spice'" in done.output


def test_a_taken_port_gives_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(up, "DEFAULT_PORT", taken.getsockname()[1])
        assert up.free_port("127.0.0.1") > taken.getsockname()[1]
