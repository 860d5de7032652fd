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


@pytest.mark.parametrize(
    ("words", "env", "port"),
    [([], "9001", 9001), (["--port", "9002"], "9001", 9002), ([], "", 8123), ([], "0", 0)],
)
def test_the_port_may_be_named_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, words: list[str], env: str, port: int
) -> None:
    """As for room by itself; a word on the command line goes first."""
    made: list[int] = []

    def deployment(*_: object, port: int, **__: object) -> None:
        made.append(port)
        raise SystemExit

    monkeypatch.setattr(up, "Deployment", deployment)
    monkeypatch.setattr(up, "Ending", lambda: None)
    monkeypatch.setattr(up, "free_port", lambda _: 8123)
    monkeypatch.setenv("SIETCH_HTTP_PORT", env)
    CliRunner().invoke(up.app, words)
    assert made == [port]


def test_a_port_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIETCH_HTTP_PORT", "many")
    done = CliRunner().invoke(up.app, [])
    assert done.exit_code == 2
    assert "SIETCH_HTTP_PORT" in done.output or "--port" in done.output
