"""Cunning of the Fremen card: a worm where nobody is fetches forces from elsewhere. [NEXUS-FRE-01..NEXUS-FRE-08]"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.watching import watches
from services.rules.engine.windows import Subject, react
from services.rules.factions.fremen import NAME
from services.rules.factions.fremen.worms import carried, ride_choices, ride_offer
from services.rules.modules.nexus.gates import NexusReaction, gate
from services.rules.modules.nexus.holding import Mode, has_card
from services.rules.phases.groups import Groups, cleaned, number_of
from shared.dune import facts
from shared.dune.events.blow import WormAppeared
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, Transfer
from shared.dune.table import Table

KIND = "distant_ride"
POWER = "nexus.fremen.cunning"
EMPTY = "phase.nexus_empty_worm"
"""Public mark: the territory of the worm now appearing, if nobody was there before it devoured. [NEXUS-FRE-01]"""
DUE = "phase.nexus_ride"
"""Public mark: the territory of the worm that the card was played for. [NEXUS-FRE-02]"""


@watches(WormAppeared, rule="NEXUS-FRE-01")
def worm_in_the_empty(play: Play, appeared: WormAppeared) -> None:
    """Whether somebody is there is seen when it appears, by every appearance anew. [NEXUS-FRE-01, NEXUS-FRE-18]"""
    there = (
        play.table.factions_in(appeared.territory) if appeared.territory in facts.territories() else {NAME}
    )
    own = play.ruling("nexus.fremen.cunning_empty") == "no_own_forces"
    if NAME in play.table.seats and not (NAME in there if own else there):
        play.set_public(EMPTY, appeared.territory)
    elif play.table.is_set(EMPTY):
        play.clear(EMPTY)


@at("worm.appeared", rule="NEXUS-FRE-06", order=60)
def may_be_fetched(table: Table, territory: Json) -> Flow | None:
    """Fremen with some card are asked, whichever it is, before the Nexus. [NEXUS-FRE-05, NEXUS-FRE-06]"""
    may = NAME in table.seats and table.ally_of(NAME) is None and has_card(table, NAME)
    if not may or table.value(EMPTY, "") != territory:
        return None
    text = f"A worm has appeared in {facts.name(territory)}, where nobody is."
    return gate(table, KIND, NAME, text, seats=(NAME,), territory=territory)


@react
class FremenCunning(NexusReaction):
    """The card is spent now, the ride follows after the others. [NEXUS-FRE-02, NEXUS-FRE-05, NEXUS-26]"""

    name: ClassVar[str] = "fremen_cunning"
    kinds: ClassVar[tuple[str, ...]] = (f"nexus.{KIND}",)
    rule: ClassVar[str] = "NEXUS-FRE-02"
    label: ClassVar[str] = "Ride it from another sand territory, with your Nexus card"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "cunning"
    text: ClassVar[str] = "forces from one sand territory will ride the worm."

    def uses(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """If there is anybody to ride, and somewhere to go. [NEXUS-FRE-03, NEXUS-FRE-04]"""
        if not distant_choices(table).open_targets():
            return Off("None of your forces in the sand can go anywhere.", "NEXUS-FRE-03")
        return Fields({})

    def carry_out(self, play: Play, seat: Faction, subject: Subject, answer: Json) -> Flow | None:
        """Remembered until the other rides are over."""
        play.set_public(DUE, str(subject.about["territory"]))
        return None


@at("nexus.over", rule="NEXUS-FRE-05", order=60)
def fetched(table: Table, pile: Json) -> Flow | None:
    """After the Nexus and the rides that need no card. [NEXUS-FRE-05]"""
    return DistantRide(str(table.value(DUE))) if table.is_set(DUE) else None


class DistantRide(Flow, tag="nexus.distant_ride", frozen=True, omit_defaults=True):
    """The ride that the card gives. [NEXUS-FRE-03..NEXUS-FRE-07]"""

    territory: str
    sources: Groups = msgspec.field(default_factory=dict)
    target: str = ""

    def start(self, play: Play) -> Next:
        """It is due once, whatever becomes of it."""
        play.clear(DUE)
        return self.goto("choose")

    def choose(self, play: Play) -> Next:
        """From where and to where, by what is possible now. [NEXUS-FRE-05]"""
        transfer = distant_choices(play.table)
        if not transfer.open_targets():
            return self.done()
        why = (
            f"The worm in {facts.name(self.territory)}: forces of yours from one sand territory may ride it."
        )
        return self.ask([ride_offer(self.territory, transfer, why)], then="chosen")

    def chosen(self, play: Play, answers: Answers) -> Next:
        """Declared: by ruling it may be cancelled. [NEXUS-FRE-07]"""
        answer = answers[NAME]
        if answer["do"] == "stay":
            return self.done()
        flow = self.replace(sources=cleaned(answer["move"]["from"]), target=answer["move"]["to"])
        return flow.goto("open" if play.ruling("nexus.fremen.cunning_karama") == "cancellable" else "ride")

    def open(self, play: Play) -> Next:
        """Own response. [NEXUS-84, NEXUS-FRE-07]"""
        number = number_of(self.sources)
        text = f"Fremen fetch {facts.counted(number, 'force')} by worm to {facts.name(self.target)}."
        window = cancel_window(POWER, NAME, text, target=self.target, forces=number)
        return self.call(window, then="answered")

    def answered(self, play: Play, outcome: Json) -> Next:
        """Cancelled: they stay where they are, and live. [NEXUS-FRE-07]"""
        return self.goto("ride") if outcome is None else self.done()

    def ride(self, play: Play) -> Next:
        """They arrive as by any ride. [NEXUS-FRE-04]"""
        return self.call(carried(play, self.sources, self.target), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """The phase goes on."""
        return self.done()


def distant_choices(table: Table) -> Transfer:
    """The rides of forces in one sand territory. [NEXUS-FRE-03]"""
    return ride_choices(table, tuple(t.id for t in facts.territories().values() if t.kind == "sand"))
