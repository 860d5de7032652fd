"""Losses of a part of one group, whose owner chooses which kinds of forces are lost."""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.phases.groups import taken
from shared.dune import facts
from shared.dune.events.forces import ForcesKilled
from shared.dune.settings import Faction
from shared.dune.shapes import Amounts, Fields
from shared.dune.table import Kinds

__all__ = ["ChooseKinds"]


class ChooseKinds(Flow, tag="losses.kinds", frozen=True, omit_defaults=True):
    """A faction loses a number of a group of its forces at a place, which may stand among others of its own.

    Where all are of one kind nobody is asked. Default: normal forces first. [REACT-08, FRE-25, WINPOL-17]
    """

    blocks_interrupts: ClassVar[bool] = True

    faction: Faction
    place: str
    group: Kinds
    number: int
    cause: str
    rule: str

    def start(self, play: Play) -> Next:
        """Ask which."""
        number = min(self.number, sum(self.group.values()))
        lost, place = facts.counted(number, "force"), facts.name(self.place)
        made = offer(
            self.faction,
            "force_losses",
            f"You lose {lost} of {sum(self.group.values())} in {place} ({self.cause}): choose which.",
            Fields(
                {"forces": Amounts(self.group, number, number, rule=self.rule)}, labels={"forces": "Lost"}
            ),
            default={"forces": taken(self.group, number)},
            about={"place": self.place, "number": number, "cause": self.cause},
            rules=(self.rule,),
        )
        return self.ask([made], then="chosen")

    def chosen(self, play: Play, answers: Answers) -> Next:
        """They go to the tanks."""
        lost = {kind: number for kind, number in answers[self.faction]["forces"].items() if number}
        if lost:
            play.emit(ForcesKilled(self.faction, lost, self.place, self.cause))
        return self.done()
