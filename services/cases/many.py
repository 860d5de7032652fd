"""Many cases at once, in the order in which they were named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from services.cases.model import read_case
from services.cases.run import Outcome, run_case
from services.cases.world import World

__all__ = ["run_many"]


def run_many(
    paths: Sequence[Path],
    make: Callable[[dict[str, Any]], World],
    jobs: int,
    over_http: bool,
    told: Callable[[int], None],
) -> list[Outcome]:
    """The outcomes in the order of the paths; `told` hears how many are done. What a case raises ends all."""
    with ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(_one, path, make, over_http) for path in paths]
        try:
            for number, done in enumerate(as_completed(running), 1):
                done.result()
                told(number)
            return [one.result() for one in running]
        finally:
            pool.shutdown(cancel_futures=True)


def _one(path: Path, make: Callable[[dict[str, Any]], World], over_http: bool) -> Outcome:
    case = read_case(path)
    if over_http and not case.http:
        return Outcome(str(path), case.rules, [], case.why_not_http or "not over HTTP")
    return run_case(path, make)
