"""Fremen let their ally revive three forces free. [FRE-32]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.factions.fremen import NAME
from services.rules.factions.fremen.lending import FREE_REVIVAL
from services.rules.phases.permissions import permits
from services.rules.phases.revival_quotes import FreeRevival, free_revival
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import TANKS, Table

POWER = "fremen.ally_revival"
NUMBER = 3
HELPED = "phase.revival.helped"
"""Public mark: the ally that revives three forces free in this phase. [FRE-32]"""


@at("revival.begins", rule="FRE-32")
def help_ally(table: Table, subject: Json) -> Flow | None:
    """When Fremen permit it and it gains the ally something, by the forces in the tanks. [REVIVAL-10, REACT-33]"""
    ally = table.ally_of(NAME)
    if ally is None or not permits(table, NAME, FREE_REVIVAL.power):
        return None
    own = free_revival(table, ally).value
    return Help(ally) if own < NUMBER and table.number_at(TANKS, ally) > own else None


class Help(Flow, tag="fremen.ally_revival", frozen=True, omit_defaults=True):
    """The three free revivals of the ally in one turn. [FRE-32, FRE-41]"""

    ally: Faction

    def start(self, play: Play) -> Next:
        """It may be cancelled; the ally then chooses with its own free number."""
        text = f"Fremen let {facts.name(self.ally)} revive three forces free this turn."
        return self.call(cancel_window(POWER, NAME, text, ally=self.ally), then="stands")

    def stands(self, play: Play, outcome: Json) -> Next:
        """Remember it for the phase."""
        if outcome is None:
            play.set_public(HELPED, self.ally)
        return self.done()


@contributes(FreeRevival, rule="FRE-32", cancel=POWER)
def three_free(free: FreeRevival, table: Table) -> FreeRevival:
    """The ally's free number is 3."""
    if table.value(HELPED, "") != free.faction or free.value >= NUMBER:
        return free
    return free.step(NUMBER, "Fremen let their ally revive three forces free", "FRE-32")
