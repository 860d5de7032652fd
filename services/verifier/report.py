"""A report for people: lines for a terminal, a page of Markdown. (For machines it is the JSON of `Report`.)"""

from __future__ import annotations

from services.verifier.findings import Outcome, Report, exit_status

__all__ = ["line_of", "markdown", "summary"]

VERDICTS = {0: "all that was looked at held", 1: "something is wrong", 2: "not everything could be looked at"}


def line_of(outcome: Outcome) -> str:
    """One check in one line."""
    looked = ", ".join(f"{number} {what}" for what, number in outcome.looked.items())
    told = outcome.reason if outcome.state in ("left out", "could not run") else looked
    return f"{outcome.state:<13} {outcome.check:<9} {outcome.seconds:>6.1f} s  {told}"


def summary(report: Report) -> str:
    """The end of a run, for a terminal: every check, then every finding."""
    lines = [line_of(outcome) for outcome in report.outcomes]
    for check, finding in report.findings:
        lines += [
            f"{check}: {finding.where}",
            f"    met:      {finding.what}",
            f"    expected: {finding.expected}",
        ]
    lines += [f"note: {note}" for note in report.notes]
    lines.append(f"{verdict(report)} ({report.seconds:.0f} s, seed {report.seed})")
    return "\n".join(lines)


def verdict(report: Report) -> str:
    """What it came to, in one sentence."""
    number = len(report.findings)
    found = f": {number} finding{'s' if number != 1 else ''}" if number else ""
    return VERDICTS[exit_status(report)] + found


def markdown(report: Report) -> str:
    """The report as a page."""
    how = "quick" if report.quick else "full"
    lines = [
        f"# Verification of {report.url}",
        "",
        f"{verdict(report).capitalize()}. Began {report.began}, {report.seconds:.0f} s, {how}, seed {report.seed}, "
        f"verifier {report.version}.",
        "",
        "| check | what it looks at | state | seconds | looked at |",
        "| --- | --- | --- | --- | --- |",
    ]
    for one in report.outcomes:
        looked = ", ".join(f"{number} {what}" for what, number in one.looked.items())
        cells = (one.check, one.about, one.state, f"{one.seconds:.1f}", one.reason or looked)
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    if report.findings:
        lines += ["", "## Findings", "", "| check | where | met | expected |", "| --- | --- | --- | --- |"]
        for check, finding in report.findings:
            named = (check, finding.where, finding.what, finding.expected)
            lines.append("| " + " | ".join(map(_cell, named)) + " |")
    lines += [f"\n{note}" for note in report.notes]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
