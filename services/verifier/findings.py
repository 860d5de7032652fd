"""What a run of the verifier comes to: checks with their states, and findings that say what, where and what instead."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

__all__ = ["Finding", "Outcome", "Report", "State", "exit_status"]

State = Literal["held", "found", "could not run", "left out"]
"""`could not run`: nobody knows whether it holds. `left out`: somebody chose not to look. Neither is ever `held`."""


class Finding(Struct, frozen=True):
    """One thing that is wrong: what was met, where, and what was expected there."""

    what: str
    where: str
    expected: str


class Outcome(Struct, frozen=True):
    """One check: what was looked at (counted), what was found, or why it could not be looked at."""

    check: str
    about: str
    state: State
    seconds: float
    looked: dict[str, int] = {}
    findings: tuple[Finding, ...] = ()
    reason: str = ""


class Report(Struct, frozen=True):
    """A whole run. `url` has no password; `began` is UTC."""

    url: str
    version: str
    seed: int
    quick: bool
    began: str
    seconds: float
    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> list[tuple[str, Finding]]:
        """Every finding with the name of its check."""
        return [(outcome.check, finding) for outcome in self.outcomes for finding in outcome.findings]


def exit_status(report: Report) -> int:
    """0: all held; 1: something was found; 2: nothing was found, but a check could not run (or none did)."""
    if report.findings:
        return 1
    states = {outcome.state for outcome in report.outcomes}
    return 0 if "held" in states and "could not run" not in states else 2
