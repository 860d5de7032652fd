"""The benchmark's own logic: goals, ratios, and what is called worse than the baseline."""

from __future__ import annotations

import io
import math
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from tests.bench.document import markdown
from tests.bench.model import Goal, Measure, at_least, at_most, latency, quantile
from tests.bench.report import Report, comparable, entry, goal_text, load_baseline, record, verdict_text
from tests.bench.rows import chosen, every

MACHINE = ("cpu", "cores", "memory_gib", "system", "python")


def _measure(
    product: float, floor: float | None = None, goal: Goal | None = None, unit: str = "ms"
) -> Measure:
    return Measure("p50", unit, product, floor, goal)


def _report(*measures: Measure, baseline: dict[str, float] | None = None, speed: float = 100.0) -> Report:
    entries = [entry("row", one, speed, baseline or {}) for one in measures]
    return Report({"cpu": "any"}, "2026-01-01 00:00 UTC", False, entries)


@pytest.mark.parametrize(
    ("measure", "met", "missed"),
    [
        (_measure(2.0, 1.0, at_most(2.0)), True, "met"),
        (_measure(3.0, 1.0, at_most(2.0)), False, "NOT met: 50% too much"),
        (_measure(3.0, None, at_most(2.0)), False, "NOT met: no figure"),
        (_measure(390.0, None, at_most(400, "value"), "µs"), True, "met"),
        (_measure(5.0, None, at_least(10), "/s"), False, "NOT met: 50% too little"),
        (_measure(10.0, None, at_least(10), "/s"), True, "met"),
        (_measure(10.0, 5.0), None, ""),
    ],
)
def test_a_goal_is_met_or_missed_by_a_share_of_it(measure: Measure, met: bool | None, missed: str) -> None:
    """A ratio without a floor meets nothing."""
    assert measure.met is met
    assert verdict_text(measure) == missed


def test_a_goal_reads_as_it_is_meant() -> None:
    """The bound, and what it bounds."""
    assert goal_text(_measure(1, 1, at_most(2.5))) == "≤ 2.5 × floor"
    assert goal_text(_measure(1, None, at_least(20_000), "/s")) == "≥ 20,000/s"
    assert goal_text(_measure(1, None, at_most(200, "value"), "KiB")) == "≤ 200 KiB"


def test_quantiles_are_samples() -> None:
    """Nearest rank, and never an invented number."""
    assert (quantile([3, 1, 2], 0.5), quantile(range(1, 101), 0.99), quantile([7], 0.99)) == (2, 99, 7)
    with pytest.raises(ValueError, match="no samples"):
        quantile([], 0.5)


def test_a_latency_of_few_samples_says_so() -> None:
    """The floor of the same share stands beside each figure."""
    p50, p99 = latency([0.001] * 10, [0.002] * 10, p50=at_most(2), p99=at_most(1.5))
    assert (p50.floor, p50.product, p50.ratio, p50.met, p99.met) == (1.0, 2.0, 2.0, True, False)
    assert p50.note == "only 10 samples"
    assert latency([0.001] * 2000, [0.002] * 2000)[0].note == ""


def test_figures_are_compared_as_ratios() -> None:
    """A machine of half the speed has the same figures: the floor or the yardstick takes the speed out."""
    assert comparable(_measure(4.0, 2.0), 123) == 2.0
    assert comparable(_measure(4.0, unit="ms"), 100) == comparable(_measure(8.0, unit="ms"), 50)
    assert comparable(_measure(4.0, unit="/s"), 100) == comparable(_measure(2.0, unit="/s"), 50)
    assert comparable(_measure(180.0, unit="KiB"), 100) == 180.0


def test_worse_than_the_baseline_beyond_the_drift_is_a_step_back() -> None:
    """In the direction that is worse, and only there."""
    baseline = {"row: p50": 2.0}
    for product, back in ((2.5, False), (2.7, True), (1.0, False)):
        report = _report(_measure(product, 1.0, at_most(9)), baseline=baseline)
        assert (report.verdict.stepped_back != []) is back
        assert report.verdict.exit_code == (2 if back else 0)
    for rate, back in ((250.0, False), (160.0, False), (140.0, True)):
        report = _report(_measure(rate, unit="/s"), baseline=baseline)
        assert (report.verdict.stepped_back != []) is back


def test_the_exit_code_says_what_is_wrong() -> None:
    """A row that was not measured outweighs all, a goal missed weighs least."""
    missed = _report(_measure(3.0, 1.0, at_most(2.0)))
    assert missed.verdict.exit_code == 1
    assert missed.verdict.goals_missed == ["row: p50"]
    assert msgspec.structs.replace(missed, failed={"other": "why"}).verdict.exit_code == 3


def test_a_recorded_run_is_the_baseline_of_the_next(tmp_path: Path) -> None:
    """Rows that were not measured keep what was recorded before."""
    path = tmp_path / "baseline.json"
    assert load_baseline(path) == {}
    record(_report(_measure(3.0, 1.0)), path)
    other = msgspec.structs.replace(_report(_measure(5.0, 1.0)).entries[0], row="other")
    record(msgspec.structs.replace(_report(), entries=[other]), path)
    assert load_baseline(path) == {"other: p50": 5.0, "row: p50": 3.0}


def test_the_table_and_the_json_tell_the_same() -> None:
    """Floor, product, ratio, goal and verdict are on the table; the JSON can be read back."""
    report = _report(_measure(3.0, 1.0, at_most(2.0)), baseline={"row: p50": 2.0})
    out = io.StringIO()
    Console(file=out, width=160).print(report.table())
    for told in ("1 ms", "3 ms", "3.00", "≤ 2 × floor", "50% too much", "WORSE: +50%"):
        assert told in out.getvalue()
    assert msgspec.json.decode(report.json(), type=Report) == report
    assert not math.isnan(report.entries[0].missed_by)


def test_rows_are_chosen_by_name() -> None:
    """Every row has a name of its own; an unknown one is told with those that exist."""
    names = [row.name for row in every()]
    assert len(names) == len(set(names))
    assert [row.name for row in chosen("table, engine")] == ["engine", "table"]
    assert [row.name for row in chosen("")] == names
    with pytest.raises(ValueError, match=r"no row nothing; there are: .*table"):
        chosen("nothing")


def test_the_page_shows_the_newest_figures_of_every_row() -> None:
    """A later run wins row by row; what is missed is listed with its share."""
    old = _report(_measure(3.0, 1.0, at_most(2.0)))
    entries = [msgspec.structs.replace(old.entries[0], row="append")]
    first = msgspec.structs.replace(old, entries=entries, machine=dict.fromkeys(MACHINE, "x"))
    page = markdown([first])
    assert "| append | p50 | 1 ms | 3 ms | 3.00 | ≤ 2 × floor | NOT met: 50% too much |" in page
    assert "- `append`, p50: 50% too much." in page
    assert "| table | | | | | | not recorded | |" in page
    better = msgspec.structs.replace(entries[0], product=1.5, ratio=1.5, verdict="met", missed_by=0.0)
    page = markdown([first, msgspec.structs.replace(first, entries=[better])])
    assert "1.50" in page and "3.00" not in page
    assert "Every goal is met." in page
    busy = msgspec.structs.replace(first, entries=[better], share=0.3)
    assert "| to be seen: the machine was busy |" in markdown([busy])
