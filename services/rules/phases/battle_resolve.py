"""The result of a battle: traitors, an explosion, or the higher total.

[BATTLE-44..BATTLE-52, TRAITOR-03..TRAITOR-08]
"""

from __future__ import annotations

from msgspec import Struct

from services.rules.engine.hooks import quote
from services.rules.engine.play import Play
from services.rules.phases.battle_grounds import Clash
from services.rules.phases.battle_quotes import (
    BattleTotal,
    Explosion,
    LeaderFate,
    LeaderStrength,
    LeaderWorth,
    Plan,
)
from services.rules.phases.battle_strength import step_of_dial
from services.rules.phases.battle_support import settle_support
from services.rules.phases.leaders import dies_face_down, leader_place, pool_of
from shared.dune import facts
from shared.dune.events.battle import BattleLostByBoth, BattleWon, LasgunExploded, StrengthCounted
from shared.dune.events.forces import ForcesKilled, SpicePaid, SpiceRemoved
from shared.dune.events.pieces import LeaderKilled
from shared.dune.parts import fraction
from shared.dune.settings import Faction
from shared.dune.table import BANK, Piece, Table, zone

__all__ = ["Verdict", "judge", "total_of", "way_of_result"]


class Verdict(Struct, frozen=True):
    """How a battle was decided: by `strength`, by a `traitor`, by `traitors` on both sides, or by an `explosion`."""

    winner: Faction | None
    how: str


def judge(play: Play, clash: Clash, plans: dict[Faction, Plan], calls: dict[Faction, Faction]) -> Verdict:
    """Decide the battle, with its dead leaders and what they yield. Traitors go before everything else.

    Spice behind the dials is settled first, so that nothing gained pays for it. [TRAITOR-06, LASGUN-09, BATTLE-43]
    """
    how = way_of_result(play.table, clash, calls)
    caller = next(iter(calls)) if how == "traitor" else None
    settle_support(play, clash, plans, how, caller)
    if caller is not None:
        return _betrayed(play, clash, plans, caller)
    if how == "traitors":
        return _both_betrayed(play, clash, plans)
    return _explode(play, clash, plans) if how == "explosion" else _fight(play, clash, plans)


def way_of_result(table: Table, clash: Clash, calls: dict[Faction, Faction]) -> str:
    """How a battle is decided, by the calls that stand and the cards of both plans. [TRAITOR-06, LASGUN-02]"""
    if calls:
        return "traitors" if len(calls) > 1 else "traitor"
    cards = tuple(card for side in clash.sides for card in zone(table, f"plan.{side}"))
    return "explosion" if quote(table, Explosion(cards=cards)).value else "strength"


def _both_betrayed(play: Play, clash: Clash, plans: dict[Faction, Plan]) -> Verdict:
    """Both lose their leaders and all that took part; nobody gains spice. [TRAITOR-08]"""
    play.emit(BattleLostByBoth(clash.sides, clash.territory, "two traitors"))
    for side in clash.sides:
        _kill(play, plans[side], "traitor")
    return Verdict(None, "traitors")


def _betrayed(play: Play, clash: Clash, plans: dict[Faction, Plan], winner: Faction) -> Verdict:
    """The caller's side wins at once and is paid for the traitor. [TRAITOR-03, TRAITOR-04, HARK-23]"""
    loser = clash.opponent(winner)
    play.emit(BattleWon(winner, loser, clash.territory, "traitor"))
    _reward(play, winner, _kill(play, plans[loser], "traitor"))
    return Verdict(winner, "traitor")


def _explode(play: Play, clash: Clash, plans: dict[Faction, Plan]) -> Verdict:
    """Everything in the territory is destroyed, and both leaders with it, unpaid.

    [LASGUN-04..LASGUN-06, LASGUN-10, BATTLE-59]
    """
    play.emit(LasgunExploded(clash.territory))
    play.emit(BattleLostByBoth(clash.sides, clash.territory, "explosion"))
    for side in clash.sides:
        _kill(play, plans[side], "explosion")
    for place in facts.locations_of(clash.territory):
        for faction in sorted(play.table.forces.get(place, {})):
            play.emit(ForcesKilled(faction, play.table.kinds_at(place, faction), place, "explosion"))
        if amount := play.table.spice_of(place):
            play.emit(SpiceRemoved(place, amount, "explosion"))
    return Verdict(None, "explosion")


def _fight(play: Play, clash: Clash, plans: dict[Faction, Plan]) -> Verdict:
    """Weapons kill, then the higher total wins, the aggressor if they are equal.

    [BATTLE-44, BATTLE-48, BATTLE-49]
    """
    doomed = {side: _is_killed(play.table, clash, plans, side) for side in clash.sides}
    totals: dict[Faction, int] = {}
    for side in clash.sides:
        total = total_of(play.table, clash, side, plans[side], leader_lives=not doomed[side])
        reasons = tuple(line.text for line in total.lines)
        play.emit(StrengthCounted(side, total.value, reasons, total.per))
        totals[side] = total.value
    winner = clash.aggressor if totals[clash.aggressor] >= totals[clash.defender] else clash.defender
    play.emit(BattleWon(winner, clash.opponent(winner), clash.territory, "strength"))
    worth = [_kill(play, plans[side], "battle") for side in clash.sides if doomed[side]]
    _reward(play, winner, sum(worth))
    return Verdict(winner, "strength")


def _is_killed(table: Table, clash: Clash, plans: dict[Faction, Plan], side: Faction) -> bool:
    """Whether a side's leader or Cheap Hero falls to the opponent's weapon; without one nothing does.

    [BATTLE-45, WEAP-05]
    """
    leader = plans[side]["leader"]
    if leader is None:
        return False
    fate = LeaderFate(
        faction=side,
        leader=str(leader),
        weapon=_card(plans[clash.opponent(side)], "weapon"),
        defense=_card(plans[side], "defense"),
    )
    return bool(quote(table, fate).value)


def _card(plan: Plan, slot: str) -> Piece | None:
    card = plan[slot]
    return card if isinstance(card, str) else None


def total_of(table: Table, clash: Clash, side: Faction, plan: Plan, *, leader_lives: bool) -> BattleTotal:
    """A side's total with its reasons: the dial, and the leader if it lives. [BATTLE-46, BATTLE-47]"""
    dial, leader, opponent = plan["dial"], plan["leader"], clash.opponent(side)
    assert isinstance(dial, int)
    per = step_of_dial(table)
    total = BattleTotal(faction=side, opponent=opponent, plan=plan, leader_lives=leader_lives, per=per)
    total = total.step(dial, f"dial {fraction(dial, per)}", "BATTLE-47")
    if isinstance(leader, str) and leader_lives:
        printed = facts.leaders()[leader].strength if leader in facts.leaders() else 0
        base = LeaderStrength(faction=side, opponent=opponent, leader=leader, plan=plan, value=printed)
        strength = quote(table, base).value
        total = total.step(total.value + strength * per, f"{facts.name(leader)} {strength}", "BATTLE-47")
    elif isinstance(leader, str):
        total = total.step(total.value, f"{facts.name(leader)} killed, 0", "BATTLE-46")
    return quote(table, total)


def _kill(play: Play, plan: Plan, cause: str) -> int:
    """A plan's leader goes to its owner's tanks; returns what it is worth. A Cheap Hero yields nothing.

    [BATTLE-50, BATTLE-52]
    """
    leader = plan["leader"]
    if not isinstance(leader, str) or leader not in facts.leaders():
        return 0
    fact, where = facts.leader(leader), pool_of(play.table, leader)
    source = "" if where == f"leaders.{fact.faction}" else where
    play.emit(LeaderKilled(leader, fact.faction, cause, dies_face_down(play.table, leader), source))
    play.clear(leader_place(leader))
    return quote(play.table, LeaderWorth(leader=leader, value=fact.strength)).value


def _reward(play: Play, winner: Faction, amount: int) -> None:
    """The winner is paid for every leader killed, its own too. [BATTLE-51]"""
    if amount:
        play.emit(SpicePaid(BANK, amount, winner, "leaders killed"))
