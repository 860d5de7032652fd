"""Adds up what the random games covered, whichever process played them, and prints it at the end of the run.

`SIETCH_LAWS_WINDOWS=1` (`make laws` sets it) tells of each kind of window what was seen, and what never was: of a few
games that would say nothing. `SIETCH_LAWS_JSON` names a file for the numbers, to which those that it holds already are
added; `SIETCH_LAWS_REQUIRE=1` makes a run fail in which a kind of window, or a reaction of one, was never seen.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.property.effects import missing_effects
from tests.property.laws import Tally
from tests.property.players import MODE, MODULES
from tests.property.windows import lines, missing


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One block: games, decisions, comparisons of worlds, kinds of offers that were answered, ways of ending."""
    if hasattr(terminalreporter.config, "workerinput"):
        return  # a worker of pytest-xdist summarizes too, unseen: its games would be added up twice
    total = _total(terminalreporter)
    if not total.counts:
        return
    kept = os.environ.get("SIETCH_LAWS_JSON")
    if kept:
        _add_up(total, Path(kept))
    write = terminalreporter.write_line
    terminalreporter.section("laws held in random games")
    counts = total.counts
    write(
        f"{counts['games']} games, {counts['decisions']} decisions, {counts['compared']} comparisons of two worlds"
    )
    titles = ("ways of ending", "kinds of offers", "cards", "powers named in windows", "Nexus effects")
    sums = (total.ways, total.kinds, total.cards, total.powers, total.effects)
    for title, numbers in zip(titles, sums, strict=True):
        told = ", ".join(f"{name} {number}" for name, number in sorted(numbers.items()))
        write(f"{title} ({len(numbers)}): {told}")
    if not os.environ.get("SIETCH_LAWS_WINDOWS"):
        return
    write("windows:")
    for line in lines(total.windows, MODE, MODULES):
        write(line)
    never = _never(total)
    write(f"never seen ({len(never)}): {', '.join(never) or 'nothing'}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where something was never seen and the run was to see everything."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("SIETCH_LAWS_REQUIRE") and reporter is not None:
        total = _total(reporter)
        kept = Path(os.environ.get("SIETCH_LAWS_JSON", ""))
        if kept.is_file():
            total.add(json.loads(kept.read_text("utf-8")))
        if total.counts and _never(total):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _never(total: Tally) -> list[str]:
    """What was never seen, of windows and of Nexus cards."""
    return [*missing(total.windows, MODE, MODULES), *missing_effects(total.effects, MODE, MODULES)]


def _add_up(total: Tally, path: Path) -> None:
    """Add what earlier runs covered, and keep the sum."""
    if path.is_file():
        total.add(json.loads(path.read_text("utf-8")))
    path.write_text(json.dumps(total.as_json(), indent=1, sort_keys=True), "utf-8")


def _total(reporter: pytest.TerminalReporter) -> Tally:
    total = Tally()
    for outcome in ("passed", "failed"):
        for report in reporter.getreports(outcome):
            for name, value in getattr(report, "user_properties", ()):
                if name == "laws":
                    total.add(json.loads(value))
    return total
