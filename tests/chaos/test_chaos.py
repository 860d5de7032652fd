"""A few minutes' worth of `make chaos` in one: enough to notice that a fault has begun to lose something."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.chaos import times, trial
from tests.chaos.faults import AT_POINTS, FAULTS
from tests.chaos.trial import Plan, run

pytestmark = pytest.mark.slow


def test_nothing_is_lost_and_every_game_goes_on(open_folder: Path) -> None:
    said: list[str] = []
    plan = Plan(kills=8, rooms=6, people=2, seed=7, rest=(0.1, 0.5), first=AT_POINTS)
    outcome = run(plan, open_folder, said.append)
    print("\n".join(said), times.text(outcome.lines), sep="\n")
    assert outcome.wrong == []
    assert outcome.commits > 100
    assert sum(fault.kind.startswith("kill") for fault in outcome.struck) >= 8
    assert {fault.kind for fault in AT_POINTS} <= {fault.kind for fault in outcome.struck}


def test_a_long_run_meets_every_kind_of_fault_and_says_which_it_did_not() -> None:
    """Kinds can be rare, or not possible at the moment; 200 kills are some 250 faults."""
    for seed in range(20):
        dice, struck = random.Random(seed), list[times.Struck]()
        for at in range(250):
            fault = trial.pick(FAULTS, struck, dice)
            if dice.random() < 0.7:
                struck.append(times.Struck(fault.kind, "", at))
        assert trial.missing(FAULTS, struck) == []
    only = [times.Struck(fault.kind, "", 0.0) for fault in FAULTS[1:]]
    assert trial.missing(FAULTS, only) == [FAULTS[0]]


def test_a_silence_is_measured_from_the_fault_or_from_what_still_got_through() -> None:
    commits = [0.0, 1.0, 2.0, 2.2, 5.0, 5.5, 6.0]
    assert times.silence(commits, False, 1.9) == pytest.approx(2.8), "2.2 got through, the silence came after"
    assert times.silence(commits, False, 2.1) == pytest.approx(2.8)
    assert times.silence(commits, False, 3.0) == pytest.approx(2.0)
    assert times.silence(commits, False, 1.6) == pytest.approx(0.4), "what began later is another fault's"
    assert times.silence(commits, False, 5.9) == float("inf")
    assert times.silence(commits, True, 5.9) == pytest.approx(0.1)
    assert times.silence(commits, False, 40.0) is None
    assert times.silence(commits, False, -1.0) is None


def test_percentiles_are_values_that_were_seen() -> None:
    values = [float(n) for n in range(1, 101)]
    assert (times.percentile(values, 0.5), times.percentile(values, 0.99)) == (50.0, 99.0)
    assert times.percentile([3.0], 0.99) == 3.0
    assert times.percentile([], 0.5) == 0.0
