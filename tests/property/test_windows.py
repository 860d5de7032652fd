"""The report of windows: complete by the registries, loud about what was never seen."""

from __future__ import annotations

import re
from collections import Counter

from services.rules.engine.loader import load_rules
from services.rules.engine.windows import reactions_in
from tests.property.windows import expected, facts_of_windows, lines, missing
from tests.unit.rules.anytime.test_cancellable_powers import CANCELLABLE

load_rules()


def test_every_power_that_can_be_cancelled_has_a_window_or_one_that_names_it() -> None:
    """A new power must be said here, or the report would not look for its window."""
    known = facts_of_windows()
    assert set(known.powers).isdisjoint(known.elsewhere)
    assert {*known.powers, *known.elsewhere} == CANCELLABLE


def test_every_registered_reaction_is_looked_for() -> None:
    """No reaction of the mode is left out."""
    for mode, modules in (("basic", ()), ("advanced", ()), ("advanced", ("nexus",))):
        used = {name for names in expected(mode, modules).values() for name in names}
        assert used == {reaction.name for reaction in reactions_in(mode, modules)}


def test_what_was_never_seen_is_said_until_it_is_seen() -> None:
    """Nothing seen: everything is missing; all seen: nothing is, and the counts are printed."""
    everything = missing({}, "advanced", ())
    assert "storm.card weather_control" in everything and "storm.card pass" in everything
    seen = Counter(dict.fromkeys(everything, 3))
    assert missing(seen, "advanced", ()) == []
    del seen["storm.card weather_control"]
    assert missing(seen, "advanced", ()) == ["storm.card weather_control"]
    told = next(line for line in lines(seen, "advanced", ()) if "storm.card" in line)
    assert "opened 3" in told and "weather_control 0" in told


def test_a_reason_speaks_of_something_that_there_is() -> None:
    """A reason for what has gone hides nothing but what comes back under its name."""
    names = {
        f"{kind} {what}"
        for kind, used in expected("advanced", ("nexus",)).items()
        for what in ("opened", "pass", *used)
    }
    assert set(facts_of_windows().unreachable) <= names
    assert all(re.search(r"\S", reason) for reason in facts_of_windows().unreachable.values())
