"""Fremen place the further worms of a blow. [FRE-22, FRE-23, FRE-24, FRE-43]"""

from __future__ import annotations

from functools import cache

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.factions.fremen import NAME
from services.rules.phases.spice_blow import PLACED, FurtherWormDevours
from shared.dune import facts
from shared.dune.shapes import Fields, Json, OneOf, Option, Variant
from shared.dune.table import Table

ADVANCED = ("advanced",)
POWER = "fremen.worm_placing"
"""Karama name: placing the further worms of one blow. [FRE-43]"""
STAYING = "phase.worms_stay"
"""Public mark: the pile whose further worms are not placed any more. [FRE-43]"""


@cache
def sand() -> Fields:
    """The choice of a sand territory in which a worm may be placed. [MAP-09]"""
    places = [found for found in facts.territories().values() if found.worm_can_appear]
    return Fields(
        {"territory": OneOf(tuple(Option(found.id, found.name) for found in places))},
        labels={"territory": "Territory"},
    )


@contributes(FurtherWormDevours, rule="FRE-23", order=30, modes=ADVANCED)
def declined_worm(devours: FurtherWormDevours, table: Table) -> FurtherWormDevours:
    """One that Fremen do not place stays without effect, or devours again by ruling. [FRE-23, FRE-43, RULING-26]"""
    if NAME not in table.seats:
        return devours
    again = int(ruling(table, "extra_worm_declined") == "devour_top")
    return devours.step(again, "A further worm that Fremen do not place", "FRE-23")


@at("worm.revealed", rule="FRE-22", modes=ADVANCED)
def further_worm(table: Table, subject: Json) -> Flow | None:
    """Each worm after the first of a blow, or by ruling of the turn. [FRE-22, RULING-28]"""
    before = subject["worms"]
    if ruling(table, "worms_counted") == "per_turn":
        before += subject["earlier"]
    stays = table.value(STAYING, "") == subject["pile"]
    return PlaceWorm(subject["pile"]) if NAME in table.seats and before and not stays else None


class PlaceWorm(Flow, tag="fremen.place_worm", frozen=True, omit_defaults=True):
    """Place it in any sand territory, or decline. [FRE-22, REACT-14, REACT-15]"""

    pile: str
    territory: str = ""

    def start(self, play: Play) -> Next:
        """Ask; silence leaves it where the cards put it."""
        made = offer(
            NAME,
            "place_worm",
            "A further worm has appeared: you may place it in any sand territory, where it devours.",
            Variant(
                {"pass": Fields({}), "place": sand()}, {"pass": "Leave it where it is", "place": "Place it"}
            ),
            default={"do": "pass"},
            rules=("FRE-22", "FRE-23"),
        )
        return self.ask([made], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """What is placed may be cancelled. [REACT-15]"""
        answer = answers[NAME]
        if answer["do"] == "pass":
            return self.done()
        where = answer["territory"]
        text = f"{facts.name(NAME)} are about to place a further worm in {facts.name(where)}."
        return self.replace(territory=where).call(
            cancel_window(POWER, NAME, text, territory=where), then="placed"
        )

    def placed(self, play: Play, outcome: Json) -> Next:
        """It appears there; cancelled, neither it nor a later one of this blow is placed. [FRE-43]"""
        if outcome is None:
            play.set_public(PLACED, self.territory)
        else:
            play.set_public(STAYING, self.pile)
        return self.done()
