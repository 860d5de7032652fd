"""The figures of a run as a table and as JSON, held against the goals and against a recorded baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from rich.table import Table

from tests.bench.model import TIMES, Measure

__all__ = ["BASELINE", "Entry", "Report", "Verdict", "load_baseline", "record"]

QUIET = 0.9
"""A machine that gives a larger share of a core than this was quiet."""
BASELINE = Path(__file__).with_name("baseline.json")


class Entry(Struct, frozen=True, kw_only=True):
    """One line of the table: a figure, held against its goal and the baseline."""

    row: str
    name: str
    unit: str
    floor: float | None
    product: float
    ratio: float | None
    goal: str
    verdict: str
    missed_by: float
    compared: float
    """What baselines hold: the ratio to the floor, else to the machine's speed, else the figure itself."""
    baseline: float | None
    worse_by: float
    """How much worse than the baseline, as a share of it; 0 within the figure's drift."""
    samples: int
    note: str


class Verdict(Struct, frozen=True):
    """What the run amounts to."""

    goals_missed: list[str]
    stepped_back: list[str]
    failed: dict[str, str]

    @property
    def exit_code(self) -> int:
        """0: all is well; 1: a goal is missed; 2: worse than the baseline; 3: a row could not be measured."""
        if self.failed:
            return 3
        return 2 if self.stepped_back else 1 if self.goals_missed else 0


class Report(Struct, frozen=True):
    """A whole run."""

    machine: dict[str, str | int]
    taken: str
    quick: bool
    entries: list[Entry]
    failed: dict[str, str] = {}
    share: float = 1.0
    """The least share of a core that the benchmark got when it wanted a whole one: below 1 others were at work."""

    @property
    def verdict(self) -> Verdict:
        """The run in short."""
        goals = [f"{e.row}: {e.name}" for e in self.entries if e.missed_by > 0]
        back = [f"{e.row}: {e.name}" for e in self.entries if e.worse_by > 0]
        return Verdict(goals, back, self.failed)

    def json(self) -> bytes:
        """The run as JSON, indented."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"

    def table(self) -> Table:
        """The run as a table for a terminal."""
        table = Table(
            title=f"Floor and product, {'quick run' if self.quick else 'whole run'}, {self.taken}",
            caption=None
            if self.share > QUIET
            else f"The machine was busy with other work (a core gave {self.share:.0%}"
            " of itself): figures without a floor are worse than they would be.",
        )
        for name in ("row", "figure"):
            table.add_column(name, overflow="fold")
        for name in ("floor", "product", "ratio"):
            table.add_column(name, justify="right", no_wrap=True)
        for name in ("goal", "met", "baseline", "note"):
            table.add_column(name, overflow="fold")
        last = ""
        for e in self.entries:
            unit = "" if e.unit == "/s" else f" {e.unit}"
            floor = "" if e.floor is None else f"{shown(e.floor)}{unit}"
            ratio = "" if e.ratio is None else f"{e.ratio:.2f}"
            product = f"{shown(e.product)}{'/s' if e.unit == '/s' else unit}"
            if e.row != last:
                table.add_section()
            row = e.row if e.row != last else ""
            table.add_row(row, e.name, floor, product, ratio, e.goal, e.verdict, _against(e), e.note)
            last = e.row
        for row, why in self.failed.items():
            table.add_section()
            table.add_row(row, "", "", "", "", "", "not measured", "", why)
        return table


def entry(row: str, measure: Measure, speed: float, baseline: Mapping[str, float]) -> Entry:
    """One figure held against its goal and the baseline; `speed` is the yardstick while the row was measured."""
    compared = comparable(measure, speed)
    known = baseline.get(f"{row}: {measure.name}")
    return Entry(
        row=row,
        name=measure.name,
        unit=measure.unit,
        floor=measure.floor,
        product=measure.product,
        ratio=measure.ratio,
        goal=goal_text(measure),
        verdict=verdict_text(measure),
        missed_by=0.0 if measure.goal is None else measure.goal.missed_by(measure.figure),
        compared=compared,
        baseline=known,
        worse_by=0.0 if known is None else worse_by(measure, compared, known),
        samples=measure.samples,
        note=measure.note,
    )


def comparable(measure: Measure, speed: float) -> float:
    """A number that can be held against another run's, also on a machine of another speed.

    The ratio to the floor where there is one. Times and rates without a floor are taken in rounds of the yardstick;
    bytes and shares are what they are.
    """
    if measure.ratio is not None:
        return measure.ratio
    if measure.unit not in TIMES:
        return measure.product
    return measure.product / speed if measure.unit == "/s" else measure.product * speed


def worse_by(measure: Measure, compared: float, baseline: float) -> float:
    """By which share a figure is worse than the baseline; 0 where it is not worse by more than its drift."""
    if baseline == 0 or not math.isfinite(compared):
        return 0.0
    worse = baseline / compared - 1 if measure.rising and compared else compared / baseline - 1
    return worse if worse > measure.drift else 0.0


def goal_text(measure: Measure) -> str:
    """The goal as one reads it in the table."""
    goal = measure.goal
    if goal is None:
        return ""
    sign = "≤" if goal.kind == "at_most" else "≥"
    if goal.of == "ratio":
        return f"{sign} {goal.limit:g} × floor"
    unit = "/s" if measure.unit == "/s" else f" {measure.unit}"
    return f"{sign} {goal.limit:,g}{unit}"


def verdict_text(measure: Measure) -> str:
    """`met`, or by how much not."""
    if measure.met is None or measure.goal is None:
        return ""
    if measure.met:
        return "met"
    missed = measure.goal.missed_by(measure.figure)
    much = "too much" if measure.goal.kind == "at_most" else "too little"
    return f"NOT met: {missed:.0%} {much}" if math.isfinite(missed) else "NOT met: no figure"


def shown(figure: float) -> str:
    """Three meaningful digits, thousands apart."""
    if figure >= 100:
        return f"{figure:,.0f}"
    return f"{figure:.1f}" if figure >= 10 else f"{figure:.3g}"


def _against(e: Entry) -> str:
    if e.baseline is None:
        return ""
    change = e.compared / e.baseline - 1 if e.baseline else 0.0
    return f"WORSE: {change:+.0%}" if e.worse_by else f"{change:+.0%}"


def load_baseline(path: Path = BASELINE) -> dict[str, float]:
    """The recorded figures by "row: name"; none where nothing was recorded."""
    if not path.exists():
        return {}
    figures: dict[str, float] = msgspec.json.decode(path.read_bytes())["figures"]
    return figures


def record(report: Report, path: Path = BASELINE) -> None:
    """Make this run's figures the baseline; rows that it did not measure keep theirs."""
    figures = load_baseline(path) | {f"{e.row}: {e.name}": round(e.compared, 6) for e in report.entries}
    body = {
        "about": "Ratios to the floor of the same run; figures without a floor in rounds of the yardstick "
        "(tests/bench/machine.py), bytes and shares as they are.",
        "machine": report.machine,
        "taken": report.taken,
        "share": round(report.share, 2),
        "figures": dict(sorted(figures.items())),
    }
    path.write_bytes(msgspec.json.format(msgspec.json.encode(body), indent=2) + b"\n")
