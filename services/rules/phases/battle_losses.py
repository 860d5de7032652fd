"""Losses of a battle. [BATTLE-53, BATTLE-56, BATTLE-65]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.phases.battle_grounds import fighters_at
from shared.dune import facts
from shared.dune.events.forces import ForcesKilled
from shared.dune.settings import Faction
from shared.dune.shapes import Amounts, Fields
from shared.dune.table import Kinds, Table

__all__ = ["ChooseLosses", "lose_all"]


def lose_all(play: Play, side: Faction, places: tuple[str, ...]) -> None:
    """All forces of a side that took part are killed; those that did not stay.

    [BATTLE-53, BATTLE-62, TRAITOR-05]
    """
    for place in places:
        if kinds := fighters_at(play.table, place, side):
            play.emit(ForcesKilled(side, kinds, place, "battle"))


class ChooseLosses(Flow, tag="battle.losses", frozen=True, omit_defaults=True):
    """The winner loses a number of forces, and chooses from which sectors. [BATTLE-56, BATTLE-65, REACT-65]"""

    blocks_interrupts: ClassVar[bool] = True

    faction: Faction
    places: tuple[str, ...]
    number: int

    def start(self, play: Play) -> Next:
        """Ask, if there is something to choose."""
        held = {place: sum(fighters_at(play.table, place, self.faction).values()) for place in self.places}
        keys = {place: number for place, number in held.items() if number}
        shape = Amounts(
            keys, self.number, self.number, {place: facts.name(place) for place in keys}, rule="BATTLE-56"
        )
        made = offer(
            self.faction,
            "battle_losses",
            f"You won and lose {facts.counted(self.number, 'force')}: choose the sectors they come from.",
            Fields({"losses": shape}, labels={"losses": "Losses"}),
            default={"losses": _default(play.table, keys, self.number)},
            rules=("BATTLE-56", "BATTLE-65"),
        )
        return self.ask([made], then="chosen")

    def chosen(self, play: Play, answers: Answers) -> Next:
        """They go to the tanks."""
        for place, number in answers[self.faction]["losses"].items():
            if number:
                kinds = _taken(fighters_at(play.table, place, self.faction), number)
                play.emit(ForcesKilled(self.faction, kinds, place, "battle"))
        return self.done(None)


def _default(table: Table, keys: dict[str, int], number: int) -> dict[str, int]:
    """Sectors without spice first. [BATTLE-65]"""
    found: dict[str, int] = {}
    for place in sorted(keys, key=lambda place: table.spice_of(place) > 0):
        taken = min(keys[place], number - sum(found.values()))
        if taken:
            found[place] = taken
    return found


def _taken(kinds: Kinds, number: int) -> Kinds:
    """So many forces of a stack, ordinary ones first."""
    found: Kinds = {}
    for kind in sorted(kinds, key=lambda kind: kind != "regular"):
        taken = min(kinds[kind], number - sum(found.values()))
        if taken:
            found[kind] = taken
    return found
