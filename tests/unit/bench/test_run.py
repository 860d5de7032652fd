"""A short run of the cheapest rows, and of one that breaks."""

from __future__ import annotations

import pytest

from tests.bench.__main__ import measure
from tests.bench.bench import Bench
from tests.bench.model import Measure, Row
from tests.bench.rows import chosen


def test_a_quick_run_measures_what_it_says() -> None:
    """The trampoline decides, and both figures are held against the baseline given."""
    report = measure(chosen("trampoline"), True, {"trampoline: trampoline alone": 1e-9})
    assert [entry.name for entry in report.entries] == ["trampoline alone", "whole decision of that flow"]
    assert all(entry.product > 100 and entry.samples > 0 for entry in report.entries)
    assert report.failed == {}
    assert report.quick and 0 < report.share <= 1.1
    assert report.verdict.stepped_back == []  # the baseline is far below


def test_a_row_that_breaks_costs_no_other() -> None:
    """It is told, and the exit code says so."""

    async def broken(_: Bench) -> list[Measure]:
        raise OSError("no such thing")

    async def sound(_: Bench) -> list[Measure]:
        return [Measure("figure", "KiB", 1.0)]

    report = measure([Row("one", "breaks", broken), Row("two", "measures", sound)], True, {})
    assert report.failed == {"one": "OSError: no such thing"}
    assert [entry.row for entry in report.entries] == ["two"]
    assert report.verdict.exit_code == 3


async def test_samples_are_taken_in_turn() -> None:
    """Blocks alternate, so that floor and product meet the same moods of the machine."""
    order: list[str] = []

    async def floor() -> None:
        order.append("f")

    async def product() -> float:
        order.append("p")
        return 0.5

    taken = await Bench(True).interleaved({"floor": floor, "product": product}, 6, warm_up=1, block=3)
    assert "".join(order) == "fp" + "fffppp" * 2
    assert taken["product"] == [0.5] * 6
    assert all(0 <= seconds < 0.5 for seconds in taken["floor"])
    assert len(taken["floor"]) == 6


def test_the_whole_run_and_the_quick_one_differ_in_numbers_only() -> None:
    """Rows ask for both numbers."""
    assert (Bench(True).number(2000, 20), Bench(False).number(2000, 20)) == (20, 2000)
    with pytest.raises(ValueError, match="no row"):
        chosen("unheard_of")
