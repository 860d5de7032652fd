"""Bene Gesserit accompany shipments from off-planet. [BG-04..BG-08, BG-46]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer, yes_no
from services.rules.engine.play import Play
from services.rules.factions.bene_gesserit import NAME
from shared.dune import facts
from shared.dune.events.forces import ForcesMoved
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import RESERVES, Table

POWER = "bene_gesserit.accompany"
"""Karama name: one accompaniment. [BG-46]"""


@at("shipment.landed", rule="BG-04", order=60)
def accompany(table: Table, subject: Json) -> Flow | None:
    """After another faction's shipment from off-planet, an ally's too, with reserves to send. [BG-06, BG-07]"""
    if NAME not in table.seats or not subject["off_planet"] or subject["faction"] == NAME:
        return None
    return Accompany(subject["faction"]) if table.number_at(RESERVES, NAME) else None


class Accompany(Flow, tag="bene_gesserit.accompany", frozen=True, omit_defaults=True):
    """One force, free, to the Polar Sink, however many were shipped. [BG-04, BG-05, BG-08, REACT-48]"""

    shipper: Faction

    def start(self, play: Play) -> Next:
        """Ask; silence sends nothing."""
        why = f"{facts.name(self.shipper)} has shipped: you may send one force free to the Polar Sink."
        made = offer(
            NAME,
            "accompany",
            why,
            yes_no("Send one force", "Send none"),
            default={"do": "no"},
            about={"shipper": self.shipper},
            rules=("BG-04",),
        )
        return self.ask([made], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """What is declared may be cancelled. [REACT-49]"""
        if answers[NAME]["do"] == "no":
            return self.done()
        shipper = facts.name(self.shipper)
        text = (
            f"{facts.name(NAME)} is about to send a force to the Polar Sink with the shipment of {shipper}."
        )
        return self.call(cancel_window(POWER, NAME, text, shipper=self.shipper), then="send")

    def send(self, play: Play, outcome: Json) -> Next:
        """The force goes, unless it was cancelled. [BG-46]"""
        if outcome is None:
            kinds = play.table.kinds_at(RESERVES, NAME)
            kind = "regular" if "regular" in kinds else sorted(kinds)[0]
            play.emit(ForcesMoved(NAME, {kind: 1}, RESERVES, facts.POLAR_SINK, "accompanying"))
        return self.done()
