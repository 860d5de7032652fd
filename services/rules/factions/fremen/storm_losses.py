"""Fremen lose only half of a group to the storm. [FRE-25, FRE-26, FRE-44, STORM-18]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.factions.fremen import NAME
from services.rules.phases.storm_losses import StormLosses, open_groups, sets_out
from shared.dune import facts
from shared.dune.shapes import Json
from shared.dune.table import Table

ADVANCED = ("advanced",)
POWER = "fremen.storm_losses"
"""Karama name: the half losses of one group, or by ruling of all that this storm catches. [FRE-44]"""
WHOLE = "phase.storm_whole_losses"
"""Public mark: the places whose Fremen groups this storm destroys entirely. [FRE-44]"""


@contributes(StormLosses, rule="FRE-25", modes=ADVANCED)
def half_of_each_group(losses: StormLosses, table: Table) -> StormLosses:
    """Half of each group, rounded up, unless it was cancelled; none as the storm leaves. [STORM-18..19, FRE-26]"""
    if losses.faction == NAME and losses.sets_out:
        return losses.step(0, "Fremen lose nothing as the storm moves on", "FRE-26")
    if losses.faction != NAME or losses.place in table.names(WHOLE):
        return losses
    return losses.step(-(-losses.value // 2), "Fremen lose half of each group", "FRE-25")


def in_the_way(table: Table, path: Json) -> tuple[str, ...]:
    """The places of Fremen groups that the storm is about to enter, in board order. [REACT-07, FRE-26]"""
    entered = path[1:] if sets_out(table) else path
    found = {place for sector in entered for faction, place in open_groups(table, sector) if faction == NAME}
    return tuple(sorted(found, key=facts.board_order))


@at("storm.path", rule="FRE-25", modes=ADVANCED)
def storm_reaches_fremen(table: Table, path: Json) -> Flow | None:
    """The path is certain and crosses Fremen forces in unprotected sand. [REACT-07]"""
    return HalfLosses(in_the_way(table, path)) if in_the_way(table, path) else None


class HalfLosses(Flow, tag="fremen.half_losses", frozen=True, omit_defaults=True):
    """One question for all groups: a Karama names one of them, or by ruling stops the power for this storm. [REACT-07]

    `groups` are the places of the groups that can still be named: each is a use of its own.
    """

    groups: tuple[str, ...]

    def start(self, play: Play) -> Next:
        """Every group is a use of the power of its own. [RULING-10, WINPOL-19]"""
        where = ", ".join(map(facts.name, self.groups))
        text = f"{facts.name(NAME)} are about to lose only half of their forces to the storm: {where}."
        single = play.ruling("storm_loss_cancel") == "one_group"
        uses = {place: facts.name(place) for place in self.groups} if single else {}
        return self.call(cancel_window(POWER, NAME, text, uses=uses), then="answered")

    def answered(self, play: Play, outcome: Json) -> Next:
        """The group named, or all of them, will die entirely; the others are asked about again. [FRE-44, WINPOL-11]"""
        if outcome is None:
            return self.done()
        use = outcome.get("answer", {}).get("use")
        gone = (use,) if use else self.groups
        play.set_public(WHOLE, (*play.table.names(WHOLE), *gone))
        left = tuple(place for place in self.groups if place not in gone)
        return self.replace(groups=left).goto("start") if left else self.done()
