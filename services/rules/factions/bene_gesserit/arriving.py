"""Advisors that move among others stay advisors or become fighters. [BG-30, REACT-51]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window, cancelled_mark
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer, yes_no
from services.rules.engine.play import Play
from services.rules.factions.bene_gesserit import NAME
from services.rules.factions.bene_gesserit.lock import locked_in
from services.rules.factions.bene_gesserit.sides import (
    ADVANCED,
    FIGHTER,
    FLIP,
    advisors_in,
    may_hold_fighters,
    turn_all,
)
from shared.dune import facts
from shared.dune.shapes import Json
from shared.dune.table import Table


@at("movement.arrived", rule="BG-30", order=30, modes=ADVANCED)
def among_others(table: Table, subject: Json) -> Flow | None:
    """Own advisors have come to where others are and no own forces were. [BG-29, BG-30, BG-31]"""
    if subject["faction"] != NAME or not subject["entered"] or table.is_set(cancelled_mark(FLIP)):
        return None
    territory = facts.territory_of(subject["to"]).id
    arrived = advisors_in(table, territory) == subject["number"]
    free = may_hold_fighters(table, territory) and not locked_in(table, territory)
    return AmongOthers(territory) if arrived and free else None


class AmongOthers(Flow, tag="bene_gesserit.among_others", frozen=True, omit_defaults=True):
    """All of the group turn, or none. [BG-21, BG-30]"""

    territory: str

    def start(self, play: Play) -> Next:
        """Ask; silence means that they stay advisors."""
        place = facts.name(self.territory)
        made = offer(
            NAME,
            "advisors_arrive",
            f"Your advisors have come to {place}, where others are: they may become fighters.",
            yes_no("Turn them into fighters", "Leave them advisors"),
            default={"do": "no"},
            about={"territory": self.territory},
            rules=("BG-30",),
        )
        return self.ask([made], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """What is declared may be cancelled. [REACT-51]"""
        if answers[NAME]["do"] == "no":
            return self.done()
        text = (
            f"{facts.name(NAME)} is about to turn its advisors in {facts.name(self.territory)} into fighters."
        )
        return self.call(cancel_window(FLIP, NAME, text, territory=self.territory), then="turn")

    def turn(self, play: Play, outcome: Json) -> Next:
        """They turn, unless it was cancelled. [BG-48]"""
        if outcome is None:
            turn_all(play, self.territory, FIGHTER, "moved")
        return self.done()
