"""The special Karama of Fremen: once a game a worm where they like. [FRE-34..FRE-37]"""

from __future__ import annotations

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import Moment, at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.factions.fremen import NAME
from services.rules.factions.fremen.placing import sand
from services.rules.phases.karama import may_use_special, special_off, use_special
from services.rules.phases.nexus import Nexus
from services.rules.phases.worm import WormAppears
from shared.dune.offers import Offer
from shared.dune.shapes import Fields, Json, Variant
from shared.dune.table import Table


@at("blow.boundary", rule="FRE-34", modes=("advanced",))
def special_worm(table: Table, subject: Json) -> Flow | None:
    """From turn 2, before, between and after the blows, never within one. [FRE-37, REACT-20]"""
    return SpecialWorm() if table.turn > 1 and may_use_special(table, NAME) else None


class SpecialWorm(Flow, tag="fremen.special_worm", frozen=True, omit_defaults=True):
    """Place it, and it does what a worm does; its Nexus follows at once, then its ride. [FRE-34, FRE-35, FRE-36]"""

    def start(self, play: Play) -> Next:
        """Asked whether they hold a Karama or not, so that being asked tells nothing."""
        return self.ask([_offer(play.table)], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """Nothing can cancel it. [KARAMA-25]"""
        answer = answers[NAME]
        if answer["do"] == "pass":
            return self.done()
        use_special(play, NAME, "a worm where they like")
        return self.call(WormAppears(answer["territory"], devours=True), then="nexus")

    def nexus(self, play: Play, result: Json) -> Next:
        """Besides those of the blows; by ruling there is none. [FRE-35, BLOW-17, RULING-02]"""
        if play.ruling("karama_worm_nexus") == "off":
            return self.goto("ride")
        return self.call(Nexus(), then="ride")

    def ride(self, play: Play, result: Json = None) -> Next:
        """It may be ridden now. [FRE-36]"""
        return self.call(Moment("nexus.over", ""), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """The phase goes on where it stood."""
        return self.done()


def _offer(table: Table) -> Offer:
    off = special_off(table, NAME)
    variants = {"pass": Fields({})} | ({} if off else {"use": sand()})
    labels = {"pass": "No special worm", "use": "Discard Karama and place a worm"}
    return offer(
        NAME,
        "special_worm",
        "Once a game you may discard a Karama to place a worm in any sand territory.",
        Variant(variants, labels, {"use": off} if off else {}),
        default={"do": "pass"},
        rules=("FRE-34", "KARAMA-23"),
        clock="window",
        window=True,
    )
