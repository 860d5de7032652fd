"""The Storm Phase: dials, the storm-card window, the marker's way, and the order of the turn. [STORM-23]"""

from __future__ import annotations

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import Moment
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.engine.windows import Subject, Window
from services.rules.phases.course import phase
from services.rules.phases.losses import ChooseKinds
from services.rules.phases.places import storm_order
from services.rules.phases.storm_losses import (
    DISTANCE,
    STORM,
    Caught,
    sets_out,
    storm_path,
    strike,
    strikes_start,
)
from shared.dune import facts
from shared.dune.events.course import OrderSet
from shared.dune.events.forces import StormMoved
from shared.dune.events.storm import StormDialed, StormDistanceSet
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Number
from shared.dune.table import Table

__all__ = ["StormPhase", "first_dialers"]

WHEELS = "wheel_holders"
"""Public mark: the two who dial, the last to have used battle wheels. [STORM-04]"""
FIXED = "phase.storm_fixed"
"""Public mark: the number needs no dials. [STORM-06]"""


@phase("storm")
class StormPhase(Flow, tag="storm", frozen=True, omit_defaults=True):
    """One Storm Phase. [STORM-23]

    `left` counts the sectors still to enter; `defaults` are the dials that silence means. [STORM-05] `caught`: forces
    that are lost but not yet chosen, by place and faction.
    """

    left: int = 0
    defaults: tuple[int, ...] = ()
    caught: tuple[Caught, ...] = ()

    def start(self, play: Play) -> Next:
        """Storm cards come before the number only where ruling storm_window_time says so."""
        if play.table.turn > 1 and play.ruling("storm_window_time") == "before_dials":
            return self.goto("window")
        return self.goto("find_number")

    def find_number(self, play: Play) -> Next:
        """A guest may fix the number (a storm deck); otherwise it is dialed. [STORM-01, STORM-03, STORM-06]"""
        return self.call(Moment("storm.number"), then="number")

    def number(self, play: Play, result: Json) -> Next:
        """Ask the dialers, unless there is a number."""
        if play.table.is_set(FIXED):
            return self.goto("numbered")
        low, high = _bounds(play.table)
        drawn = tuple(play.chance.between(low, high) for _ in dialers(play.table))
        return self.replace(defaults=drawn).goto("dial")

    def dial(self, play: Play) -> Next:
        """The two dialers, secretly and together. [STORM-01, STORM-03, STORM-05, REACT-05]"""
        pairs = zip(dialers(play.table), self.defaults, strict=True)
        return self.ask([_dial_offer(play.table, seat, drawn) for seat, drawn in pairs], then="dialed")

    def dialed(self, play: Play, answers: Answers) -> Next:
        """Both numbers are revealed together; their sum is the distance."""
        for seat, answer in answers.items():
            play.emit(StormDialed(seat, answer["dial"]))
        play.emit(StormDistanceSet(sum(answer["dial"] for answer in answers.values())))
        if play.table.turn == 1:
            play.set_public(WHEELS, tuple(answers))
        return self.replace(defaults=()).goto("numbered")

    def numbered(self, play: Play) -> Next:
        """The number is public. No storm card on turn 1. [STORM-09, STORM-10, CARD-09]"""
        if play.table.turn == 1 or play.ruling("storm_window_time") == "before_dials":
            return self.goto("set_out")
        return self.goto("window")

    def window(self, play: Play) -> Next:
        """Storm cards may be played now. [STORM-09, STORM-10, REACT-06]"""
        table = play.table
        if DISTANCE in table.marks:
            far = f" {facts.counted(table.count(DISTANCE), 'sector')}"
            about: dict[str, str | int] = {"distance": table.count(DISTANCE), "storm": table.storm}
        else:
            far, about = "", {"storm": table.storm}
        text = f"The storm is about to move{far}. A storm card may be played now."
        return self.call(Window("storm.card", Subject("storm", text=text, about=about)), then="window_over")

    def window_over(self, play: Play, outcome: Json) -> Next:
        """After a card the window opens again; when all have passed the marker moves. [STORM-10, REACT-06]"""
        if outcome is not None:
            return self.goto("window")
        early = play.ruling("storm_window_time") == "before_dials"
        return self.goto("find_number" if early and DISTANCE not in play.table.marks else "set_out")

    def set_out(self, play: Play) -> Next:
        """The path is certain now. [REACT-07]"""
        distance = play.table.count(DISTANCE)
        return self.replace(left=distance).call(
            Moment("storm.path", list(storm_path(play.table))), then="depart"
        )

    def depart(self, play: Play, result: Json) -> Next:
        """The sector that it leaves is struck only where a ruling says so. [STORM-12, STORM-14]"""
        if not strikes_start(play.table):
            return self.goto("enter")
        caught = strike(play, self.caught, leaving=sets_out(play.table))
        return self.replace(caught=caught).goto("enter")

    def enter(self, play: Play) -> Next:
        """One sector on, as often as the number says; what stands there is destroyed. [STORM-02, STORM-11]"""
        if not self.left:
            return self.goto("losses")
        play.emit(StormMoved(play.table.storm % facts.SECTORS + 1))
        return self.replace(left=self.left - 1, caught=strike(play, self.caught)).goto("enter")

    def losses(self, play: Play) -> Next:
        """Who loses only a part of a group chooses which, group by group. [STORM-23, REACT-08]"""
        if not self.caught:
            return self.goto("stopped")
        group, *rest = self.caught
        kinds = play.table.kinds_at(group.place, group.faction)
        choose = ChooseKinds(group.faction, group.place, kinds, group.number, STORM, "STORM-18")
        return self.replace(caught=tuple(rest)).call(choose, then="chosen")

    def chosen(self, play: Play, result: Json) -> Next:
        """The next group."""
        return self.goto("losses")

    def stopped(self, play: Play) -> Next:
        """Storm order and First Player for the turn. [STORM-21, GEN-09]"""
        play.emit(OrderSet(storm_order(play.table)))
        return self.done()


def dialers(table: Table) -> tuple[Faction, ...]:
    """In turn 1 the two nearest to Storm Start, later the holders of the wheels. [STORM-01, STORM-04]"""
    return first_dialers(table) if table.turn == 1 else table.names(WHEELS)


def first_dialers(table: Table) -> tuple[Faction, ...]:
    """The players whose circles are nearest ahead of and behind Storm Start. [STORM-01]"""
    by_circle = sorted(zip(table.settings.circles, table.seats, strict=True))
    return by_circle[0][1], by_circle[-1][1]


def _bounds(table: Table) -> tuple[int, int]:
    """What may be dialed. [STORM-01, STORM-03]"""
    return (0, 20) if table.turn == 1 else (1, 3)


def _dial_offer(table: Table, seat: Faction, drawn: int) -> Offer:
    low, high = _bounds(table)
    why = f"Dial the storm: {low} to {high}. Both dials are added and revealed together."
    rule = "STORM-01" if table.turn == 1 else "STORM-03"
    shape = Fields({"dial": Number(low, high, "sectors", rule)}, labels={"dial": "Dial"})
    return offer(seat, "storm_dial", why, shape, default={"dial": drawn}, rules=(rule,), clock="dial")
