"""The Guild acts when it likes. [GUILD-12..GUILD-16, GUILD-31]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window, cancelled_mark
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.factions.guild import NAME
from services.rules.phases.shipment import ACTED, DELAYED, TurnOfAction, next_to_act, others_waiting
from shared.dune import facts
from shared.dune.shapes import Fields, Json, Variant
from shared.dune.table import Table

ADVANCED = ("advanced",)
POWER = "guild.order"
"""Karama name: acting out of order, once. [GUILD-31]"""
BOUND = "phase.guild_bound"
"""Public mark: the power was cancelled, so that the Guild acts at its own place in this phase. [GUILD-31]"""


def _may_choose(table: Table) -> bool:
    """Whether the Guild has still to act and its power holds. [GUILD-12, GUILD-15]"""
    bound = table.is_set(BOUND) or table.is_set(cancelled_mark(POWER))
    return (
        NAME in table.seats and NAME not in table.names(ACTED) and not bound and others_waiting(table, NAME)
    )


@at("shipment.boundary", rule="GUILD-12", modes=ADVANCED)
def between_players(table: Table, subject: Json) -> Flow | None:
    """At every clean boundary until it has acted; at its own place it is asked there. [GUILD-13, REACT-39]"""
    return OutOfOrder() if _may_choose(table) and next_to_act(table) != NAME else None


@at("shipment.place", rule="GUILD-14", modes=ADVANCED)
def own_place(table: Table, seat: Json) -> Flow | None:
    """At its own place in storm order it acts or waits; who has waited is not asked this again. [GUILD-14]"""
    waited = NAME in table.names(DELAYED)
    return OutOfOrder(own=True) if seat == NAME and not waited and _may_choose(table) else None


class OutOfOrder(Flow, tag="guild.order", frozen=True, omit_defaults=True):
    """Act now, or wait. What is out of order is open to Karama. [GUILD-12, GUILD-31, REACT-39, REACT-40]

    `own`: at its own place, where waiting is what is out of order.
    """

    own: bool = False

    def start(self, play: Play) -> Next:
        """Ask; silence waits."""
        where = "It is your place in storm order" if self.own else "The next player is about to act"
        made = offer(
            NAME,
            "guild_turn",
            f"{where}: you may take your shipment and movement now, or wait.",
            Variant({"pass": Fields({}), "act": Fields({})}, {"pass": "Wait", "act": "Act now"}),
            default={"do": "pass"},
            about={"next": next_to_act(play.table)},
            rules=("GUILD-12", "GUILD-14"),
            window=True,
        )
        return self.ask([made], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """In order, and late when it has once waited, it needs no further word. [REACT-40]"""
        acts = answers[NAME]["do"] == "act"
        if acts == self.own:
            return self.done()
        if acts and NAME in play.table.names(DELAYED):
            return self.goto("act")
        what = "wait at its own place" if self.own else "act before its place"
        text = f"The {facts.name(NAME)} is about to {what} in storm order."
        return self.call(cancel_window(POWER, NAME, text), then="stands")

    def stands(self, play: Play, outcome: Json) -> Next:
        """Cancelled, it acts at its own place, and nowhere else in this phase. [GUILD-31]"""
        if outcome is not None:
            play.set_public(BOUND, True)
            return self.done()
        if self.own:
            play.set_public(DELAYED, (*play.table.names(DELAYED), NAME))
            return self.done()
        return self.goto("act")

    def act(self, play: Play) -> Next:
        """Shipment and movement together. [GUILD-16]"""
        return self.call(TurnOfAction(NAME), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """Back to the boundary."""
        return self.done()
