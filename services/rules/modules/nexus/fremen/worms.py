"""The Fremen card and worms: forces protected, rides stopped. [NEXUS-FRE-09, NEXUS-FRE-14..NEXUS-FRE-17]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.windows import Subject, react
from services.rules.factions.fremen import NAME
from services.rules.factions.fremen.worms import RIDES
from services.rules.modules.nexus.gates import NexusReaction, gate
from services.rules.modules.nexus.holding import Mode, possible_holders
from services.rules.phases.worm import WormSpares
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Table

WORM_KIND, RIDE_KIND = "worm", "ride"
PROTECTED = "worm.nexus_protected"
"""Public mark: whose forces a card protects from the worm now appearing. [NEXUS-FRE-09]"""
ASKED = "turn.ride_acknowledged"
"""Public mark: all were asked before the first ride of the turn. [NEXUS-FRE-16]"""
NO_RIDES = "turn.no_rides"
"""Public mark: nobody rides any more this turn. [NEXUS-FRE-14]"""


@at("worm.devours", rule="NEXUS-FRE-10", order=60)
def may_protect(table: Table, territory: Json) -> Flow | None:
    """Whoever has forces there and could hold the card; nobody concerned: no pause. [NEXUS-FRE-09, NEXUS-FRE-10]"""
    if NAME in table.seats:
        return None
    there = table.factions_in(territory)
    seats = tuple(seat for seat in possible_holders(table, NAME) if seat in there)
    if not seats:
        return None
    text = f"A worm is about to devour what is in {facts.name(territory)}."
    return gate(table, WORM_KIND, NAME, text, seats=seats, territory=territory)


@react
class FremenProtection(NexusReaction):
    """One's own forces, from one worm. [NEXUS-FRE-09]"""

    name: ClassVar[str] = "fremen_protection"
    kinds: ClassVar[tuple[str, ...]] = (f"nexus.{WORM_KIND}",)
    rule: ClassVar[str] = "NEXUS-FRE-09"
    label: ClassVar[str] = "Protect your forces there with your Nexus card"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "secret_ally"
    text: ClassVar[str] = "protects its forces from the worm."

    def carry_out(self, play: Play, seat: Faction, subject: Subject, answer: Json) -> Flow | None:
        """Until it has devoured."""
        play.set_public(PROTECTED, seat)
        return None


@contributes(WormSpares, rule="NEXUS-FRE-09")
def spares_the_protected(spares: WormSpares, table: Table) -> WormSpares:
    """Others there die, and the spice is gone as ever. [NEXUS-FRE-09]"""
    if table.value(PROTECTED, "") != spares.faction:
        return spares
    return spares.step(1, "Protected with a Nexus card", "NEXUS-FRE-09")


@at("nexus.over", rule="NEXUS-FRE-16", order=30)
def before_the_rides(table: Table, pile: Json) -> Flow | None:
    """Before the first ride of the turn; later ones stop with it. [NEXUS-FRE-14, NEXUS-FRE-16]"""
    return MayRide() if NAME in table.seats and table.names(RIDES) else None


class MayRide(Flow, tag="nexus.may_ride", frozen=True, omit_defaults=True):
    """Whether the worms of this blow are ridden at all. [NEXUS-FRE-14]"""

    def start(self, play: Play) -> Next:
        """Asked once a turn."""
        if play.table.is_set(NO_RIDES):
            return self.goto("stopped")
        if play.table.is_set(ASKED):
            return self.done()
        play.set_public(ASKED, True)
        return self.call(gate(play.table, RIDE_KIND, NAME, "Fremen may ride worms now."), then="answered")

    def answered(self, play: Play, outcome: Json) -> Next:
        """Forces already carried stay where they are. [NEXUS-FRE-14]"""
        if outcome is None:
            return self.done()
        play.set_public(NO_RIDES, True)
        return self.goto("stopped")

    def stopped(self, play: Play) -> Next:
        """These worms are not ridden."""
        play.clear(RIDES)
        return self.done()


@react
class StopRides(NexusReaction):
    """No more rides this turn. [NEXUS-FRE-14, NEXUS-FRE-17]"""

    name: ClassVar[str] = "fremen_no_rides"
    kinds: ClassVar[tuple[str, ...]] = (f"nexus.{RIDE_KIND}",)
    rule: ClassVar[str] = "NEXUS-FRE-14"
    label: ClassVar[str] = "Stop all worm rides of this turn with your Nexus card"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "betrayal"
    text: ClassVar[str] = "Fremen ride no worm any more this turn."
