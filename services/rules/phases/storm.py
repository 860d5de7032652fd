"""The Storm Phase: dials, the storm-card window, the marker's way, and the order of the turn. [STORM-23]"""

from __future__ import annotations

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import Moment
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.engine.windows import Subject, Window
from services.rules.phases.course import phase
from services.rules.phases.places import is_protected_from_storm, storm_order
from shared.dune import facts
from shared.dune.events.course import OrderSet
from shared.dune.events.forces import ForcesKilled, SpiceRemoved, StormMoved
from shared.dune.events.storm import StormDialed, StormDistanceSet
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Number
from shared.dune.table import RESERVES, TANKS, Table

__all__ = ["StormPhase", "first_dialers"]

WHEELS = "wheel_holders"
"""Public mark: the two who dial, the last to have used battle wheels. [STORM-04]"""
DISTANCE = "phase.storm_distance"
"""Public mark: how many sectors the marker will move. [STORM-09]"""


@phase("storm")
class StormPhase(Flow, tag="storm", frozen=True, omit_defaults=True):
    """One Storm Phase. `left` counts the sectors that the marker has still to enter."""

    left: int = 0

    def start(self, play: Play) -> Next:
        """Somebody may have fixed the number already (a storm deck); otherwise it is dialed. [STORM-01, STORM-03, STORM-06]"""
        return self.call(Moment("storm.number"), then="number")

    def number(self, play: Play, result: Json) -> Next:
        """Ask the dialers, unless there is a number."""
        if play.table.is_set("phase.storm_fixed"):
            return self.goto("window")
        return self.goto("dial")

    def dial(self, play: Play) -> Next:
        """The two dialers, secretly and together. [STORM-01, STORM-03, STORM-05]"""
        low, high = (0, 20) if play.table.turn == 1 else (1, 3)
        return self.ask([_dial_offer(seat, low, high) for seat in dialers(play.table)], then="dialed")

    def dialed(self, play: Play, answers: Answers) -> Next:
        """Both numbers are revealed together; their sum is the distance."""
        for seat, answer in answers.items():
            play.emit(StormDialed(seat, answer["dial"]))
        play.emit(StormDistanceSet(sum(answer["dial"] for answer in answers.values())))
        if play.table.turn == 1:
            play.set_public(WHEELS, tuple(answers))
        return self.goto("window")

    def window(self, play: Play) -> Next:
        """From turn 2 storm cards may be played now that the number is public. [STORM-09, STORM-10, REACT-06]"""
        if play.table.turn == 1:
            return self.goto("set_out")
        distance = play.table.count(DISTANCE)
        text = f"The storm is about to move {distance} sectors. A storm card may be played now."
        subject = Subject("storm", text=text, about={"distance": distance, "storm": play.table.storm})
        return self.call(Window("storm.card", subject), then="window_over")

    def window_over(self, play: Play, outcome: Json) -> Next:
        """All have passed: the marker moves."""
        return self.goto("set_out")

    def set_out(self, play: Play) -> Next:
        """The path is certain now. [REACT-07]"""
        return self.replace(left=play.table.count(DISTANCE)).call(Moment("storm.path"), then="enter")

    def enter(self, play: Play, result: Json = None) -> Next:
        """One sector on; what stands there unprotected is destroyed. [STORM-11, STORM-12, STORM-13, STORM-14]"""
        if not self.left:
            return self.goto("stopped")
        play.emit(StormMoved(play.table.storm % facts.SECTORS + 1))
        _destroy(play)
        return self.replace(left=self.left - 1).call(Moment("storm.entered", play.table.storm), then="enter")

    def stopped(self, play: Play) -> Next:
        """Storm order and First Player for the turn. [STORM-21]"""
        play.emit(OrderSet(storm_order(play.table)))
        return self.done()


def dialers(table: Table) -> tuple[Faction, ...]:
    """Who dials the storm: in turn 1 the two nearest to Storm Start, later the holders of the wheels. [STORM-01, STORM-04]"""
    return first_dialers(table) if table.turn == 1 else table.names(WHEELS)


def first_dialers(table: Table) -> tuple[Faction, ...]:
    """The players whose circles are nearest ahead of and behind Storm Start. [STORM-01]"""
    by_circle = sorted(zip(table.settings.circles, table.seats, strict=True))
    return by_circle[0][1], by_circle[-1][1]


def _dial_offer(seat: Faction, low: int, high: int) -> Offer:
    why = f"Dial the storm: {low} to {high}. Both dials are added and revealed together."
    shape = Fields({"dial": Number(low, high, "sectors", "STORM-03")}, labels={"dial": "Dial"})
    return offer(
        seat, "storm_dial", why, shape, default={"dial": low}, rules=("STORM-01", "STORM-03"), clock="dial"
    )


def _destroy(play: Play) -> None:
    """Forces in unprotected places of the storm's sector die, spice in the sector is lost everywhere. [STORM-12, STORM-13]"""
    for place, by_faction in play.table.forces.items():
        if (
            place in (RESERVES, TANKS)
            or not play.table.in_storm(place)
            or is_protected_from_storm(play.table, place)
        ):
            continue
        for faction in sorted(by_faction):
            play.emit(ForcesKilled(faction, play.table.kinds_at(place, faction), place, "storm"))
    for place in sorted(play.table.spice):
        if place in facts.locations() and play.table.in_storm(place):
            play.emit(SpiceRemoved(place, play.table.spice_of(place), "storm"))
