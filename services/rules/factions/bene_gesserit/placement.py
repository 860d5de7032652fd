"""Where the first Bene Gesserit force begins the Advanced game. [START-17, START-18, REACT-04]"""

from __future__ import annotations

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import choose, offer
from services.rules.engine.play import Play
from services.rules.factions.bene_gesserit import NAME
from services.rules.factions.bene_gesserit.sides import ADVANCED, ADVISOR, turn_all
from shared.dune import facts
from shared.dune.events.forces import ForcesMoved
from shared.dune.shapes import Json, Option
from shared.dune.table import RESERVES, Table


@at("setup", rule="START-17", order=55, modes=ADVANCED)
def place_one(table: Table, subject: Json) -> Flow | None:
    """When all others stand, one force goes wherever Bene Gesserit likes."""
    return PlaceOne() if NAME in table.seats else None


class PlaceOne(Flow, tag="bene_gesserit.placement", frozen=True, omit_defaults=True):
    """One force in any one location: an advisor where another player has forces, so that no limit binds it.

    [START-17, START-18]
    """

    def start(self, play: Play) -> Next:
        """Ask for the location; silence means the Polar Sink."""
        made = offer(
            NAME,
            "placement_one",
            "Place one force in any location: an advisor where others have forces, a fighter elsewhere.",
            choose([Option(place, facts.name(place)) for place in facts.locations()], "Location"),
            default={"choice": facts.POLAR_SINK},
            rules=("START-17",),
        )
        return self.ask([made], then="placed")

    def placed(self, play: Play, answers: Answers) -> Next:
        """It stands there, on the side that the place gives it."""
        place = answers[NAME]["choice"]
        territory = facts.territory_of(place).id
        play.emit(ForcesMoved(NAME, {"regular": 1}, RESERVES, place, "setup"))
        if len(play.table.factions_in(territory)) > 1:
            turn_all(play, territory, ADVISOR, "placed among others")
        return self.done()
