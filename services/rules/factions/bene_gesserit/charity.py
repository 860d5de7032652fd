"""Bene Gesserit receive charity whatever they hold. [BG-20, BG-49, CHARITY-05]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.factions.bene_gesserit import NAME
from services.rules.phases.charity import ENOUGH, Charity
from shared.dune import facts
from shared.dune.events.forces import SpicePaid
from shared.dune.shapes import Json
from shared.dune.table import BANK, Table

ADVANCED = ("advanced",)
POWER = "bene_gesserit.charity"
"""Karama name: the charity of one turn. [BG-49]"""
RECEIVED = "phase.charity_received"
"""Public mark: they have received it and claim nothing more. [BG-20]"""


@at("charity.begins", rule="BG-20", modes=ADVANCED)
def guaranteed_charity(table: Table, subject: Json) -> Flow | None:
    """Before the others claim. [REACT-22]"""
    return GuaranteedCharity() if NAME in table.seats else None


class GuaranteedCharity(Flow, tag="bene_gesserit.charity", frozen=True, omit_defaults=True):
    """Two spice from the bank. [BG-20, CHARITY-05]"""

    def start(self, play: Play) -> Next:
        """It may be cancelled; whoever has 0 or 1 may still claim then. [BG-49, REACT-22]"""
        text = f"{facts.name(NAME)} are about to receive charity, whatever they have."
        return self.call(cancel_window(POWER, NAME, text), then="answered")

    def answered(self, play: Play, outcome: Json) -> Next:
        """Two more, or by ruling at least two. [RULING-34]"""
        if outcome is not None:
            return self.done()
        held = play.table.spice_of(NAME)
        only_up = play.ruling("bg_charity_amount") == "up_to_two" and held < ENOUGH
        play.set_public(RECEIVED, True)
        play.emit(SpicePaid(BANK, ENOUGH - held if only_up else ENOUGH, NAME, "charity"))
        return self.done()


@contributes(Charity, rule="BG-20", modes=ADVANCED)
def claims_nothing_more(charity: Charity, table: Table) -> Charity:
    """Who has received charity cannot claim it too. [BG-20]"""
    if charity.faction != NAME or not table.is_set(RECEIVED):
        return charity
    return charity.step(0, "You have received your charity.", "BG-20")
