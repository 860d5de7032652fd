"""Adds up what the random games covered, whichever process played them, and prints it at the end of the run."""

from __future__ import annotations

import json

import pytest

from tests.property.laws import Tally


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One block: games, decisions, comparisons of worlds, kinds of offers that were answered, ways of ending."""
    total = Tally()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            for name, value in getattr(report, "user_properties", ()):
                if name == "laws":
                    total.add(json.loads(value))
    if not total.counts:
        return
    terminalreporter.section("laws held in random games")
    counts = total.counts
    terminalreporter.write_line(
        f"{counts['games']} games, {counts['decisions']} decisions, {counts['compared']} comparisons of two worlds"
    )
    for title, numbers in (("ways of ending", total.ways), ("kinds of offers", total.kinds)):
        told = ", ".join(f"{name} {number}" for name, number in sorted(numbers.items()))
        terminalreporter.write_line(f"{title} ({len(numbers)}): {told}")
