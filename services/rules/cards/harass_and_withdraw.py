"""Harass and Withdraw: own forces that were not dialed go back to reserves before anything is lost. [E3C-09..E3C-14]"""

from __future__ import annotations

from services.rules.cards.reinforcements import in_plan
from services.rules.engine.flow import Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.phases.battle_grounds import Clash, fighters_at
from services.rules.phases.battle_losses import ChooseForces, Chosen, sets_of
from services.rules.phases.battle_plan import clash_now
from services.rules.phases.battle_quotes import Plan
from shared.dune.events.forces import ForcesMoved
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import RESERVES, Kinds, Table

CARD = "harass_and_withdraw"


@at("battle.before_result", rule="E3C-09", order=20)
def may_withdraw(table: Table, subject: Json) -> Flow | None:
    """Not in a battle that a called traitor decides; in an explosion by ruling. [E3C-10, E3C-13, TRAITOR-03]"""
    way = subject["way"]
    goes_first = way == "explosion" and ruling(table, "harass_in_explosion") == "withdraw_first"
    if way != "strength" and not goes_first:
        return None
    clash = clash_now(table)
    if clash is None:
        return None
    sides = tuple(side for side in clash.sides if in_plan(table, side, CARD))
    return WithdrawForces(clash, sides, subject["plans"]) if sides else None


class WithdrawForces(Flow, tag="harass_and_withdraw", frozen=True, omit_defaults=True):
    """Who played the card says which forces made up its dial; the others withdraw. [E3C-09, E3C-11, E3C-14]"""

    clash: Clash
    sides: tuple[Faction, ...]
    plans: dict[Faction, Plan]

    def start(self, play: Play) -> Next:
        """One card of the kind is in the deck, so one side has it."""
        if not self.sides:
            return self.done()
        side = self.sides[0]
        sets = sets_of(play.table, self.clash, side, self.plans[side])
        why = "Harass and Withdraw: say which forces make up your dial. The others go back to your reserves."
        return self.call(ChooseForces(side, self.clash.places, sets, "battle_dialed", why), then="withdraw")

    def withdraw(self, play: Play, chosen: Json) -> Next:
        """All that took part and were not dialed."""
        side = self.sides[0]
        for place, kinds in _others(play.table, side, self.clash.places, chosen).items():
            play.emit(ForcesMoved(side, kinds, place, RESERVES, "withdrawal"))
        return self.replace(sides=self.sides[1:]).goto("start")


def _others(table: Table, side: Faction, places: tuple[str, ...], chosen: Chosen) -> dict[str, Kinds]:
    """The forces that took part without those chosen, by place."""
    found: dict[str, Kinds] = {}
    for place in places:
        stay = chosen.get(place, {})
        left = {k: n - stay.get(k, 0) for k, n in fighters_at(table, place, side).items()}
        if left := {kind: number for kind, number in left.items() if number}:
            found[place] = left
    return found
