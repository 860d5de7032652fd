"""`python -m tests.bench`: measure the rows, print the table, write the JSON, compare with the baseline."""

from __future__ import annotations

import asyncio
import datetime
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import typer
import uvloop
from rich.console import Console

from tests.bench.bench import Bench
from tests.bench.machine import describe, yardstick
from tests.bench.model import Measure, Row
from tests.bench.report import QUIET, Entry, Report, entry, load_baseline, record
from tests.bench.rows import chosen

console = Console(stderr=True)
JSON = Path(".sietch/bench.json")


def main(
    rows: str = typer.Option("", help="which rows, by name, comma-separated; all by default"),
    quick: bool = typer.Option(False, help="a short run: fewer samples, the same rows"),
    json: Path = typer.Option(JSON, help="where the figures are written as JSON"),
    save: bool = typer.Option(False, "--record", help="make this run the baseline of the rows measured"),
    force: bool = typer.Option(False, help="record even what was measured on a busy machine"),
    compare: bool = typer.Option(True, help="hold the figures against the recorded baseline"),
) -> None:
    """Measure. Ends with 1 when a goal is missed, 2 when a figure is worse than the baseline, 3 on failure."""
    try:
        wanted = chosen(rows)
    except ValueError as wrong:
        console.print(f"[red]{wrong}[/red]")
        raise typer.Exit(2) from None
    json.parent.mkdir(parents=True, exist_ok=True)
    # Written after every row: a long run that is broken off has not been for nothing.
    report = measure(
        wanted, quick, load_baseline() if compare else {}, lambda so_far: _write(json, so_far.json())
    )
    Console(width=max(120, Console().width)).print(report.table())
    verdict = report.verdict
    for label, names in (
        ("goal missed", verdict.goals_missed),
        ("worse than the baseline", verdict.stepped_back),
    ):
        if names:
            console.print(f"{label}: {', '.join(names)}")
    console.print(f"as JSON: {json}")
    if save and (report.share > QUIET or force):
        record(report)
        console.print("recorded as the baseline")
    elif save:
        console.print(
            f"not recorded: the machine was busy with other work (a core gave {report.share:.0%} of itself), "
            "and every later run would be held against that; --force records it all the same"
        )
    raise typer.Exit(verdict.exit_code)


def _write(path: Path, body: bytes) -> None:
    path.write_bytes(body)


def measure(
    wanted: list[Row],
    quick: bool,
    baseline: dict[str, float],
    keep: Callable[[Report], None] = lambda so_far: None,
) -> Report:
    """Measure rows one after another; a row that fails is reported and the others are still measured."""
    entries: list[Entry] = []
    failed: dict[str, str] = {}
    share = 1.0
    report = Report(describe(), "", quick, [])
    with console.status("beginning") as status:
        for number, row in enumerate(wanted, 1):
            head = f"[{number}/{len(wanted)}] {row.name}"
            bench = Bench(quick, lambda text, head=head: status.update(f"{head}: {text}"))
            started = time.perf_counter()
            try:
                speed, got = yardstick()
                taken = run_row(row, bench)
                after, then = yardstick()
                speed, share = (speed + after) / 2, min(share, got, then)
                entries += [entry(row.name, one, speed, baseline) for one in taken]
                console.print(f"{head}: {row.title} ({time.perf_counter() - started:.0f} s)")
            except Exception as wrong:  # noqa: BLE001 - one row that breaks must not cost the others; it is reported
                failed[row.name] = f"{type(wrong).__name__}: {wrong}"
                console.print(f"{head}: not measured\n{traceback.format_exc()}", markup=False)
            finally:
                bench.close()
            now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
            report = Report(describe(), now, quick, list(entries), dict(failed), share)
            keep(report)
    return report


def run_row(row: Row, bench: Bench) -> list[Measure]:
    """One row on an event loop of its own, the same kind that the services run on."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(row.run(bench))


if __name__ == "__main__":
    typer.run(main)
