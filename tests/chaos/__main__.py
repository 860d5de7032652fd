"""`python -m tests.chaos --kills 200 --rooms 40 --seed 1`: break a deployment of its own; see that nothing is lost."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos import times
from tests.chaos.trial import Plan, run

GOAL_SECONDS = 3.0


def main() -> int:
    """0 when nothing is wrong and a killed service's rooms go on within the goal."""
    words = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    words.add_argument("--kills", type=int, default=200)
    words.add_argument("--rooms", type=int, default=40)
    words.add_argument(
        "--people", type=int, default=4, help="further rooms in which one seat is played over HTTP"
    )
    words.add_argument("--seed", type=int, default=int(time.time()) % 100_000)
    words.add_argument("--only", default="", help="kinds of fault that have this in their name")
    words.add_argument("--pause", type=float, default=0.5, help="seconds for which a bot waits")
    words.add_argument("--seconds", type=float, default=float("inf"), help="no further fault after this long")
    words.add_argument("--keep", action="store_true", help="keep data and logs")
    given = words.parse_args()
    plan = Plan(given.kills, given.rooms, given.people, given.seed, given.only, given.pause, given.seconds)
    folder = Path(tempfile.mkdtemp(prefix="sietch-chaos-"))
    folder.chmod(0o755)
    began = time.monotonic()
    print(f"seed {plan.seed}: {plan.kills} kills over {plan.rooms} rooms", flush=True)
    outcome = run(plan, folder, lambda text: print(f"{time.monotonic() - began:7.1f}  {text}", flush=True))
    print(f"\n{outcome.rooms} rooms, {outcome.commits} commits, {time.monotonic() - began:.0f} s")
    print(times.text(outcome.lines))
    if outcome.theirs:
        print("rooms with a person:")
        print(times.text(outcome.theirs))
    late = [line for line in outcome.lines if line.kind.startswith("kill a ") and line.p99 > GOAL_SECONDS]
    for text in outcome.wrong:
        print(f"WRONG  {text}")
    for line in late:
        print(f"LATE   {line.kind}: p99 {line.p99:.2f} s, wanted {GOAL_SECONDS:g} s")
    if given.keep or outcome.wrong:
        print(f"data and logs: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if outcome.wrong or late else 0


if __name__ == "__main__":
    sys.exit(main())
