"""Others come to where Bene Gesserit has fighters: these may become advisors.

[BG-33..BG-36, REACT-19, REACT-46, REACT-47]
"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window, cancelled_mark
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer, yes_no
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.factions.bene_gesserit import NAME
from services.rules.factions.bene_gesserit.sides import ADVANCED, ADVISOR, FLIP, fighters_in, turn_all
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import RESERVES, Table

ORDER = 20
"""Before an accompaniment: what lies there then decides whether an advisor may be sent. [BG-25, SHIP-19]"""


@at("shipment.landed", rule="BG-33", order=ORDER, modes=ADVANCED)
def by_shipment(table: Table, subject: Json) -> Flow | None:
    """Forces have been shipped or brought. [BG-33]"""
    return _intruded(table, subject)


@at("movement.arrived", rule="BG-33", order=ORDER, modes=ADVANCED)
def by_movement(table: Table, subject: Json) -> Flow | None:
    """A group has arrived; one that only changes its sector enters nothing. [BG-33, MOVE-14]"""
    return _intruded(table, subject) if subject["entered"] else None


@at("ride.arrived", rule="BG-33", order=ORDER, modes=ADVANCED)
def by_ride(table: Table, subject: Json) -> Flow | None:
    """A ride has ended. [BG-33, REACT-19]"""
    return _intruded(table, subject) if subject["entered"] else None


def _intruded(table: Table, subject: Json) -> Flow | None:
    """Whether somebody else's forces now stand with fighters, and not in the Polar Sink. [BG-33, BG-34]"""
    faction, place = subject["faction"], subject["to"]
    if NAME not in table.seats or faction == NAME or place in (RESERVES, facts.POLAR_SINK):
        return None
    if table.are_allied(NAME, faction) and ruling(table, "intrusion_by_ally") == "off":
        return None
    territory = facts.territory_of(place).id
    if faction not in table.factions_in(territory) or not fighters_in(table, territory):
        return None
    if table.is_set(cancelled_mark(FLIP)):
        return None
    return Intrusion(territory, faction)


class Intrusion(Flow, tag="bene_gesserit.intrusion", frozen=True, omit_defaults=True):
    """All fighters of the territory turn, or none; decided before the other player does anything else. [BG-35]"""

    territory: str
    intruder: Faction

    def start(self, play: Play) -> Next:
        """Ask; silence means that they stay fighters."""
        place = facts.name(self.territory)
        made = offer(
            NAME,
            "intrusion",
            f"{facts.name(self.intruder)} has come to {place}: you may turn all your fighters there into advisors.",
            yes_no("Turn them into advisors", "Leave them fighters"),
            default={"do": "no"},
            about={"territory": self.territory, "intruder": self.intruder},
            rules=("BG-33",),
        )
        return self.ask([made], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """What is declared may be cancelled. [REACT-47]"""
        if answers[NAME]["do"] == "no":
            return self.done()
        text = (
            f"{facts.name(NAME)} is about to turn its fighters in {facts.name(self.territory)} into advisors."
        )
        return self.call(cancel_window(FLIP, NAME, text, territory=self.territory), then="turn")

    def turn(self, play: Play, outcome: Json) -> Next:
        """They turn, unless it was cancelled. [BG-48]"""
        if outcome is None:
            turn_all(play, self.territory, ADVISOR, "intruded upon")
        return self.done()
