"""`python -m tests.bench.document run.json...`: write the figures of runs into docs/benchmarks.md, later files winning.

The machine's other work is told with each row, for a figure without a floor means less the more there was of it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tests.bench.report import QUIET, Entry, Report, shown
from tests.bench.rows import every

__all__ = ["markdown"]

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
HEAD = "## Recorded\n"
ABOUT = """
`core` is the share of a core that the benchmark got when it wanted a whole one: below about 90 % the machine was busy
with other work, and figures without a floor are worse than they would be.

"""


def markdown(reports: Sequence[Report]) -> str:
    """The newest figures of every row as a table, and below it what is missed and by how much."""
    rows: dict[str, tuple[Report, list[Entry]]] = {}
    for report in reports:
        for name in {entry.row: None for entry in report.entries}:
            rows[name] = (report, [entry for entry in report.entries if entry.row == name])
    machine = reports[-1].machine
    lines = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}, "
        f"Python {machine['python']}.",
        "",
        "| row | figure | floor | product | ratio | goal | met | taken |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    missed = []
    for row in every():
        if row.name not in rows:
            lines.append(f"| {row.name} | | | | | | not recorded | |")
            continue
        report, entries = rows[row.name]
        for entry in entries:
            lines.append(_line(entry, report))
            if entry.missed_by:
                missed.append(
                    f"- `{entry.row}`, {entry.name}: {_verdict(entry, report).removeprefix('NOT met: ')}."
                )
    lines += ["", "Not met:" if missed else "Every goal is met.", "", *missed]
    return "\n".join(lines).rstrip() + "\n"


def _line(entry: Entry, report: Report) -> str:
    def told(figure: float | None) -> str:
        if figure is None:
            return ""
        return f"{shown(figure)}/s" if entry.unit == "/s" else f"{shown(figure)} {entry.unit}"

    ratio = "" if entry.ratio is None else f"{entry.ratio:.2f}"
    taken = f"{report.taken.removesuffix(' UTC')}{', quick' if report.quick else ''}, core {report.share:.0%}"
    figures = (told(entry.floor), told(entry.product), ratio)
    cells = (entry.row, entry.name, *figures, entry.goal, _verdict(entry, report), taken)
    return f"| {' | '.join(cells)} |"


def _verdict(entry: Entry, report: Report) -> str:
    """On a busy machine a ratio proves nothing, and a figure without a floor only when it is good all the same."""
    if report.share > QUIET or not entry.goal:
        return entry.verdict
    if entry.missed_by:
        return f"{entry.verdict}, on a busy machine"
    return "to be seen: the machine was busy" if "floor" in entry.goal else entry.verdict


def main() -> None:
    """Replace what the page says under its last heading."""
    reports = [msgspec.json.decode(Path(name).read_bytes(), type=Report) for name in sys.argv[1:]]
    if not reports:
        sys.exit("name the files that `make bench` wrote (.sietch/bench.json)")
    before, _, _ = PAGE.read_text().partition(HEAD)
    PAGE.write_text(f"{before}{HEAD}{ABOUT}{markdown(reports)}")


if __name__ == "__main__":
    main()
