"""`SIETCH_TESTS_MUST_RUN=1`: a file of which every test was skipped fails the run, for it proved nothing.

For whoever has made sure of an engine, images and programs, and would take "5 skipped" for a proof.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

__all__ = ["idle_files", "pytest_sessionfinish", "pytest_terminal_summary"]

RAN = ("passed", "failed", "error", "xfailed", "xpassed")


def idle_files(stats: Mapping[str, Sequence[Any]]) -> list[str]:
    """The files of which tests were skipped, and none ran; by what the terminal's reporter counted."""
    files = {
        kind: {report.nodeid.split("::")[0] for report in stats.get(kind, ())} for kind in (*RAN, "skipped")
    }
    return sorted(files["skipped"].difference(*(files[kind] for kind in RAN)))


def _idle(config: pytest.Config) -> list[str]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not os.environ.get("SIETCH_TESTS_MUST_RUN") or reporter is None or hasattr(config, "workerinput"):
        return []
    return idle_files(reporter.stats)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Make such a run a failure."""
    if _idle(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say which files they are."""
    for name in _idle(config):
        terminalreporter.write_line(f"{name}: every test was skipped, and here they must run", red=True)
