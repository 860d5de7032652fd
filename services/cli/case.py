"""`sietch case run`: conformance cases against the engine, or over HTTP against a deployment with scenario rooms."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from services.cases.model import CaseError, find_cases, read_case
from services.cases.run import Outcome, run_case
from services.cases.world import EngineWorld, World

app = typer.Typer(help="Conformance cases.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Conformance cases: one file, one case."""


@app.command()
def run(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.")],
    url: Annotated[str, typer.Option(help="Run over HTTP against this deployment.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print results for programs.")] = False,
) -> None:
    """Run cases. Exit status 0: all hold; 1: one does not; 2: a file is malformed."""
    started = time.perf_counter()
    try:
        outcomes = [_one(path, _maker(url), bool(url)) for path in find_cases(paths)]
    except CaseError as wrong:
        print(f"sietch: {wrong}", file=sys.stderr)
        raise typer.Exit(2) from wrong
    failed = [outcome for outcome in outcomes if outcome.failed]
    skipped = [outcome for outcome in outcomes if outcome.skipped]
    if as_json:
        rows = [
            {"case": o.path, "rules": o.rules, "failed": o.failed, "skipped": o.skipped} for o in outcomes
        ]
        print(json.dumps({"cases": rows, "seconds": round(time.perf_counter() - started, 3)}))
    else:
        for outcome in failed:
            print(f"FAILED {outcome.path}\n  " + "\n  ".join(outcome.failed))
        held = len(outcomes) - len(failed) - len(skipped)
        print(
            f"{held} held, {len(failed)} failed, {len(skipped)} skipped in {time.perf_counter() - started:.1f} s"
        )
    raise typer.Exit(1 if failed else 0)


def _maker(url: str) -> Callable[[dict[str, Any]], World]:
    if not url:
        return EngineWorld
    from services.cases.http import http_maker

    return http_maker(url)


def _one(path: Path, make: Callable[[dict[str, Any]], World], over_http: bool) -> Outcome:
    case = read_case(path)
    if over_http and not case.http:
        return Outcome(str(path), case.rules, [], case.why_not_http or "not over HTTP")
    return run_case(path, make)


@app.command()
def document() -> None:
    """Print `docs/cases.md`, made from the code (a minute: it plays every case)."""
    from services.cases.document import document as made
    from services.ruleindex.index import ROOT

    print(made(ROOT / "tests" / "cases"), end="")
