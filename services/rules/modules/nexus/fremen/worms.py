"""The Fremen card and worms: forces protected, rides stopped. [NEXUS-FRE-09, NEXUS-FRE-14..NEXUS-FRE-17]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.windows import Subject, react
from services.rules.factions.fremen import NAME
from services.rules.factions.fremen.worms import NO_RIDES
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
    when: ClassVar[str] = "before a worm devours forces of yours"
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


@at("ride.due", rule="NEXUS-FRE-16")
def before_the_ride(table: Table, territory: Json) -> Flow | None:
    """Before the first ride of the turn that nobody has cancelled. [NEXUS-35, NEXUS-FRE-16]"""
    return None if table.is_set(ASKED) else MayRide(territory)


class MayRide(Flow, tag="nexus.may_ride", frozen=True, omit_defaults=True):
    """Whether Fremen ride worms at all in this turn. [NEXUS-FRE-14]"""

    territory: str

    def start(self, play: Play) -> Next:
        """Asked once a turn."""
        play.set_public(ASKED, True)
        text = f"Fremen are about to ride the worm in {facts.name(self.territory)}."
        return self.call(gate(play.table, RIDE_KIND, NAME, text, territory=self.territory), then="over")

    def over(self, play: Play, outcome: Json) -> Next:
        """The mark tells what came of it; the ride looks again."""
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
    when: ClassVar[str] = "when Fremen are about to ride a worm"
    text: ClassVar[str] = "Fremen ride no worm any more this turn."

    def carry_out(self, play: Play, seat: Faction, subject: Subject, answer: Json) -> Flow | None:
        """This one too; forces already carried stay where they are. [NEXUS-FRE-14]"""
        play.set_public(NO_RIDES, True)
        return None
