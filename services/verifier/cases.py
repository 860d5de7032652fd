"""The conformance cases, over HTTP against staged tables."""

from __future__ import annotations

from pathlib import Path

from services.cases.http import http_maker
from services.cases.many import run_many
from services.cases.model import CaseError, find_cases
from services.cases.run import Outcome
from services.verifier.plan import CannotRunError, Run
from services.verifier.replies import code_of, short

JOBS = 8
QUICK = 32
"""Cases of a quick run."""
TABLE = {"seats": ["atreides", "harkonnen"], "phase": "storm"}


def check(run: Run) -> None:
    """Play every case (a quick run: some of every folder)."""
    folder = run.plan.cases
    if not folder.is_dir():
        raise CannotRunError(f"there are no cases in {folder}; name their folder with --cases")
    if not staged(run):
        return
    try:
        paths = find_cases([folder])
    except CaseError as wrong:
        raise CannotRunError(str(wrong)) from None
    if run.plan.quick:
        paths = _some(run, paths, folder)
    if not paths:
        raise CannotRunError(f"there are no cases in {folder}; name their folder with --cases")
    try:
        with http_maker(run.plan.url, run.heard) as make:
            outcomes = run_many(paths, make, JOBS, True, lambda done: run.step(done, len(paths)))
    except CaseError as wrong:
        run.found(str(wrong), "staging", "a table that can be staged (are these the cases of this version?)")
        return
    for outcome in outcomes:
        _judged(run, outcome, folder)


def staged(run: Run) -> bool:
    """Whether the deployment stages tables; it is a finding when it does not."""
    reply = run.client().post("/api/scenarios", json={"table": TABLE})
    refused = reply.status_code == 404 and code_of(reply) == "no_scenarios"
    if refused:
        wanted = "scenarios (SIETCH_SCENARIOS=1), or a run with --without-scenarios"
        run.found("the deployment stages no tables, so no case can be played", "POST /api/scenarios", wanted)
    elif reply.status_code != 201:
        run.found(f"{reply.status_code} {short(reply)}", "POST /api/scenarios", "201")
    return reply.status_code == 201


def _some(run: Run, paths: list[Path], folder: Path) -> list[Path]:
    """One case of every folder, and more by chance."""
    chance = run.chance("cases")
    by_folder: dict[str, list[Path]] = {}
    for path in paths:
        by_folder.setdefault(path.relative_to(folder).parts[0], []).append(path)
    first = [chance.choice(found) for found in by_folder.values()][:QUICK]
    rest = [path for path in paths if path not in first]
    return sorted({*first, *chance.sample(rest, max(0, min(QUICK - len(first), len(rest))))})


def _judged(run: Run, outcome: Outcome, folder: Path) -> None:
    if outcome.skipped:
        run.count("cases not meant for HTTP")
        return
    run.count("cases")
    for text in outcome.failed:
        where = Path(outcome.path).relative_to(folder).as_posix()
        run.found(text, f"case {where}", f"as {', '.join(outcome.rules)} of the rules reference")
