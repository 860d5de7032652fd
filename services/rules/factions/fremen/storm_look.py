"""Fremen look at the storm card of the next turn. [FRE-21, FRE-42]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer, yes_no
from services.rules.engine.play import Play
from services.rules.factions.fremen import NAME
from shared.dune import facts
from shared.dune.events.storm import STORM_NEXT, StormCardSeen
from shared.dune.shapes import Json
from shared.dune.table import Table, zone

POWER = "fremen.storm_look"
"""Karama name: one look at the storm card. [FRE-42]"""


@at("storm.ends", rule="FRE-21", order=20, modes=("advanced",))
def look_at_storm(table: Table, subject: Json) -> Flow | None:
    """At the end of each Storm Phase, when the next card is drawn. [REACT-09]"""
    return StormLook() if NAME in table.seats and zone(table, STORM_NEXT) else None


class StormLook(Flow, tag="fremen.storm_look", frozen=True, omit_defaults=True):
    """One look. [FRE-21, REACT-09, REACT-10]"""

    def start(self, play: Play) -> Next:
        """Ask; silence is no look."""
        made = offer(
            NAME,
            "storm_look",
            "You may look at the storm card of the next turn.",
            yes_no("Look at it", "Do not look"),
            default={"do": "no"},
            rules=("FRE-21",),
        )
        return self.ask([made], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """What is declared may be cancelled. [REACT-10]"""
        if answers[NAME]["do"] == "no":
            return self.done()
        text = f"{facts.name(NAME)} are about to look at the storm card of the next turn."
        return self.call(cancel_window(POWER, NAME, text), then="look")

    def look(self, play: Play, outcome: Json) -> Next:
        """Only Fremen see it; cancelled, the storm still moves by the card. [FRE-42]"""
        if outcome is None:
            play.emit(StormCardSeen(NAME, zone(play.table, STORM_NEXT)[0]))
        return self.done()
