"""The special Karama of the Emperor: once a game a further revival, free. [EMP-16..EMP-18]"""

from __future__ import annotations

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.factions.emperor import NAME
from services.rules.phases.karama import may_use_special, special_off, use_special
from services.rules.phases.revival import revive_forces
from services.rules.phases.revival_cycle import dead_leaders
from services.rules.phases.revival_quotes import revivable_kinds
from shared.dune import facts
from shared.dune.events.pieces import LeaderRevived
from shared.dune.offers import Offer
from shared.dune.shapes import Amounts, Fields, Json, Off, OneOf, Option, Variant
from shared.dune.table import Table

MOST = 3
"""Forces that it revives at most. [EMP-16]"""
WHY = "special Karama"


@at("revival.extra", rule="EMP-16", order=40, modes=("advanced",))
def special_revival(table: Table, subject: Json) -> Flow | None:
    """When all have revived, if the Emperor has anything in the tanks. [REACT-34]"""
    lies = revivable_kinds(table, NAME) or dead_leaders(table, NAME)
    return SpecialRevival() if may_use_special(table, NAME) and lies else None


class SpecialRevival(Flow, tag="emperor.special_revival", frozen=True, omit_defaults=True):
    """Up to three forces or one leader, free, besides the normal revival. [EMP-16]"""

    def start(self, play: Play) -> Next:
        """Asked whether it holds a Karama or not, so that being asked tells nothing."""
        return self.ask([_offer(play.table)], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """Nothing can cancel it. [KARAMA-25]"""
        answer = answers[NAME]
        if answer["do"] == "pass":
            return self.done()
        use_special(play, NAME, "a further revival")
        if answer["do"] == "leader":
            play.emit(LeaderRevived(answer["leader"], NAME, WHY))
        else:
            revive_forces(play, NAME, answer["forces"], WHY)
        return self.done()


def _offer(table: Table) -> Offer:
    """Any own leader in the tanks, whatever the conditions; at most one elite force a turn. [EMP-17, EMP-18]"""
    kinds, leaders, off = revivable_kinds(table, NAME), dead_leaders(table, NAME), special_off(table, NAME)
    labels = {"pass": "No special revival", "forces": "Revive forces", "leader": "Revive a leader"}
    variants = {"pass": Fields({})}
    if kinds and not off:
        number = min(MOST, sum(kinds.values()))
        shape = Amounts({kind: min(held, number) for kind, held in kinds.items()}, 1, number, rule="EMP-16")
        variants["forces"] = Fields({"forces": shape}, labels={"forces": "Forces"})
    if leaders and not off:
        options = tuple(Option(leader, facts.name(leader)) for leader in leaders)
        variants["leader"] = Fields({"leader": OneOf(options)}, labels={"leader": "Leader"})
    none = off or Off("You have none in the tanks.", "EMP-16")
    return offer(
        NAME,
        "special_revival",
        f"Once a game you may discard a Karama to revive up to {MOST} forces or one leader, free.",
        Variant(variants, labels, {name: none for name in labels if name not in variants}),
        default={"do": "pass"},
        rules=("EMP-16", "KARAMA-23"),
        clock="window",
        window=True,
    )
