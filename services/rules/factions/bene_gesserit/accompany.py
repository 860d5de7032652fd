"""Bene Gesserit accompany shipments from off-planet. [BG-04..BG-08, BG-25, BG-46]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.hooks import quote
from services.rules.engine.moments import at
from services.rules.engine.offering import offer, yes_no
from services.rules.engine.play import Play
from services.rules.factions.bene_gesserit import NAME
from services.rules.factions.bene_gesserit.with_shipment import WithShipment, come_with_them
from shared.dune import facts
from shared.dune.events.forces import ForcesMoved
from shared.dune.offers import Choice
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, OneOf, Option, Variant
from shared.dune.table import RESERVES, Table

POWER = "bene_gesserit.accompany"
"""Karama name: one accompaniment. [BG-46]"""


@at("shipment.landed", rule="BG-04", order=60)
def accompany(table: Table, subject: Json) -> Flow | None:
    """After another faction's shipment from off-planet, an ally's too, with reserves to send. [BG-06, BG-07]"""
    if NAME not in table.seats or not subject["off_planet"] or subject["faction"] == NAME:
        return None
    return Accompany(subject["faction"], subject["to"]) if table.number_at(RESERVES, NAME) else None


class Accompany(Flow, tag="bene_gesserit.accompany", frozen=True, omit_defaults=True):
    """One force, free, however many were shipped: to the Polar Sink, or where else it may go.

    [BG-04, BG-05, BG-08, BG-25, REACT-48]

    `shipped_to` is a location; `place` where the force is to go, `with_them` whether with the shipment.
    """

    shipper: Faction
    shipped_to: str = ""
    place: str = facts.POLAR_SINK
    with_them: bool = False

    def start(self, play: Play) -> Next:
        """Ask; silence sends nothing."""
        there = quote(play.table, WithShipment(to=self.shipped_to))
        where = " to the Polar Sink" if not there.places else ""
        made = offer(
            NAME,
            "accompany",
            f"{facts.name(self.shipper)} has shipped: you may send one force free{where}.",
            _choice(there),
            default={"do": "no"},
            about={"shipper": self.shipper},
            rules=("BG-04",),
        )
        return self.ask([made], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """What is declared may be cancelled. [REACT-49]"""
        answer = answers[NAME]
        if answer["do"] == "no":
            return self.done()
        place = answer.get("place", facts.POLAR_SINK)
        where = facts.name(place) if answer["do"] == "advisor" else "the Polar Sink"
        text = (
            f"{facts.name(NAME)} is about to send a force to {where} with the shipment of "
            f"{facts.name(self.shipper)}."
        )
        flow = self.replace(place=place, with_them=answer["do"] == "advisor")
        return flow.call(cancel_window(POWER, NAME, text, shipper=self.shipper), then="send")

    def send(self, play: Play, outcome: Json) -> Next:
        """The force goes, unless it was cancelled. [BG-46]"""
        if outcome is not None:
            return self.done()
        kinds = play.table.kinds_at(RESERVES, NAME)
        kind = "regular" if "regular" in kinds else sorted(kinds)[0]
        play.emit(ForcesMoved(NAME, {kind: 1}, RESERVES, self.place, "accompanying"))
        if self.with_them:
            come_with_them(play, self.place)
        return self.done()


def _choice(there: WithShipment) -> Choice:
    """To the Polar Sink, with the shipment if that can be, or not at all. [BG-04, BG-25]"""
    if not there.places and there.off is None:
        return yes_no("Send one force", "Send none")
    variants = {"yes": Fields({}), "no": Fields({})}
    labels = {
        "yes": "Send a fighter to the Polar Sink",
        "advisor": "Send an advisor with them",
        "no": "Send none",
    }
    if there.off is not None:
        return Variant(variants, labels, {"advisor": there.off})
    places = OneOf(tuple(Option(place, facts.name(place)) for place in there.places))
    variants["advisor"] = Fields({"place": places}, labels={"place": "Where"})
    return Variant(variants, labels)
