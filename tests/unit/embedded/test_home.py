"""Where a deployment leaves word of its address, for the commands that look for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from services.cli import play
from services.embedded.home import ADDRESS, Home, address_here


def test_the_address_is_there_while_it_runs(tmp_path: Path) -> None:
    assert address_here(tmp_path) == ""
    home = Home(tmp_path, None)
    home.tell_address("http://127.0.0.1:8081")
    assert address_here(tmp_path) == "http://127.0.0.1:8081"
    home.release()
    assert address_here(tmp_path) == ""


def test_word_of_a_process_that_was_killed_is_worth_nothing(tmp_path: Path) -> None:
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    for text in (f"{int(gone.stdout)} http://127.0.0.1:8081", "", "x y", f"{os.getpid()}"):
        (tmp_path / ADDRESS).write_text(text)
        assert address_here(tmp_path) == "", text


@pytest.mark.parametrize(
    ("words", "env", "here", "expected"),
    [
        (["--url", "http://a"], "http://b", "http://c", "http://a"),
        ([], "http://b", "http://c", "http://b"),
        ([], "", "http://c", "http://c"),
        ([], "", "", "http://127.0.0.1:8080"),
    ],
)
def test_play_looks_for_the_address(
    monkeypatch: pytest.MonkeyPatch, words: list[str], env: str, here: str, expected: str
) -> None:
    asked: list[str] = []

    def play_remote(url: str, *_: object) -> None:
        asked.append(url)
        raise ValueError("enough")

    monkeypatch.setattr(play, "play_remote", play_remote)
    monkeypatch.setattr(play, "address_here", lambda: here)
    monkeypatch.setenv("SIETCH_URL", env)
    CliRunner().invoke(play.app, words)
    assert asked == [expected]
