"""`sietch case run`: conformance cases against the engine, or over HTTP against a deployment with scenario rooms."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from services.cases.http import DeploymentError, http_maker
from services.cases.many import run_many
from services.cases.model import CaseError, find_cases
from services.cases.run import Outcome
from services.cases.world import EngineWorld, World

app = typer.Typer(help="Conformance cases.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Conformance cases: one file, one case."""


@app.command()
def run(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.")],
    url: Annotated[str, typer.Option(help="Run over HTTP against this deployment.")] = "",
    jobs: Annotated[int, typer.Option(min=1, help="Cases at once over HTTP.")] = 8,
    as_json: Annotated[bool, typer.Option("--json", help="Print results for programs.")] = False,
) -> None:
    """Run cases. Exit status 0: all hold; 1: one does not (or no deployment answers); 2: a file is malformed."""
    started = time.perf_counter()
    try:
        outcomes = _all(find_cases(paths), url, jobs if url else 1, as_json)
    except CaseError as wrong:
        print(f"sietch: {wrong}", file=sys.stderr)
        raise typer.Exit(2) from wrong
    except DeploymentError as wrong:
        print(f"sietch: {wrong}", file=sys.stderr)
        raise typer.Exit(1) from wrong
    _report(outcomes, time.perf_counter() - started, as_json)
    raise typer.Exit(1 if any(outcome.failed for outcome in outcomes) else 0)


def _report(outcomes: list[Outcome], seconds: float, as_json: bool) -> None:
    if as_json:
        rows = [
            {"case": o.path, "rules": o.rules, "failed": o.failed, "skipped": o.skipped} for o in outcomes
        ]
        print(json.dumps({"cases": rows, "seconds": round(seconds, 3)}))
        return
    failed = [outcome for outcome in outcomes if outcome.failed]
    skipped = [outcome for outcome in outcomes if outcome.skipped]
    for outcome in failed:
        print(f"FAILED {outcome.path}\n  " + "\n  ".join(outcome.failed))
    held = len(outcomes) - len(failed) - len(skipped)
    print(f"{held} held, {len(failed)} failed, {len(skipped)} skipped in {seconds:.1f} s")


def _all(paths: list[Path], url: str, jobs: int, quiet: bool) -> list[Outcome]:
    """The outcomes in the order of the paths, several cases at once; progress goes to a terminal only."""
    console = Console(stderr=True, quiet=quiet or not sys.stderr.isatty())
    columns = (TextColumn("cases"), BarColumn(), MofNCompleteColumn())
    made: AbstractContextManager[Callable[[dict[str, Any]], World]]
    made = http_maker(url) if url else nullcontext(EngineWorld)
    progress = Progress(*columns, console=console, transient=True)
    with made as make, progress as bar:
        task = bar.add_task("cases", total=len(paths))
        return run_many(paths, make, jobs, bool(url), lambda done: bar.update(task, completed=done))


@app.command()
def document() -> None:
    """Print `docs/cases.md`, made from the code (a minute: it plays every case)."""
    from services.cases.document import document as made
    from services.ruleindex.index import ROOT

    print(made(ROOT / "tests" / "cases"), end="")
