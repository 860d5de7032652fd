"""Settlers run once after a step that moved forces or began a phase, and never in the middle of one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from services.rules.engine import settling
from services.rules.engine.flow import Flow, Next
from services.rules.engine.play import Play
from services.rules.engine.settling import settles
from shared.dune.events.course import PhaseBegan
from shared.dune.events.forces import ForcesMoved
from shared.dune.table import RESERVES, add_forces
from tests.unit.rules.engine.flows import TABLE, begun

READY = add_forces(TABLE, RESERVES, "guild", {"regular": 2})


class Landing(Flow, tag="test.landing", frozen=True, omit_defaults=True):
    """Two forces come one after the other in one step; then a step that changes nothing, then another phase begins."""

    def start(self, play: Play) -> Next:
        """Two facts."""
        for place in ("arrakeen:9", "carthag:10"):
            play.emit(ForcesMoved("guild", {"regular": 1}, RESERVES, place, "test"))
        return self.goto("rest")

    def rest(self, play: Play) -> Next:
        """Marks are no forces."""
        play.set_public("test.rested", True)
        return self.goto("next_phase")

    def next_phase(self, play: Play) -> Next:
        """The page is turned."""
        play.emit(PhaseBegan("revival"))
        return self.done()


@pytest.fixture
def registered() -> Iterator[None]:
    """What a test registers is gone after it."""
    kept = list(settling._registry)
    yield
    settling._registry[:] = kept
    settling._holding.cache_clear()


@pytest.mark.usefixtures("registered")
def test_a_step_is_the_unit_of_time() -> None:
    """Both forces are there when it is asked how things stand; a step without forces or phase asks nothing."""

    @settles(rule="TEST-01")
    def note(play: Play) -> None:
        there = len(play.table.places_of("guild"))
        seen = (*play.table.names("test.seen"), f"{play.table.phase} {there}")
        play.set_public("test.seen", seen)

    @settles(rule="TEST-01", modes=("advanced",))
    def never(play: Play) -> None:
        raise AssertionError("this is a Basic game")

    assert begun(Landing(), READY).game.table.names("test.seen") == ("storm 2", "revival 2")
