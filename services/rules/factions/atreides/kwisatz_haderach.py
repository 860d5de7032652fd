"""The Kwisatz Haderach. [ATR-18..ATR-28, ATR-38]"""

from __future__ import annotations

import msgspec

from services.rules.engine.cancel import cancelled_mark
from services.rules.engine.hooks import contributes
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.watching import watches
from services.rules.factions.atreides import NAME
from services.rules.phases.battle_powers import BattlePowers
from services.rules.phases.battle_quotes import BattleTotal, PlanParts, TraitorCallers
from services.rules.phases.leaders import leader_place
from services.rules.phases.revival_quotes import LeaderPrice
from shared.dune.events.battle import LasgunExploded
from shared.dune.events.forces import ForcesKilled
from shared.dune.events.pieces import LeaderKilled
from shared.dune.facts.special import special_leaders
from shared.dune.shapes import Condition, IfThen, OneOf, Option
from shared.dune.table import Table, zone

KH = "kwisatz_haderach"
POWER = "atreides.kwisatz_haderach"
POOL = f"special_leaders.{NAME}"
LOST = "kwisatz_haderach.lost"
"""Secret mark: the forces that Atreides has lost in battles so far. [ATR-19, ATR-20]"""
NEEDED = 7
"""Losses after which the Kwisatz Haderach is there. [ATR-18]"""
IN_BATTLE = ("battle", "explosion")
"""Causes of death that count. [ATR-19]"""
ADVANCED = ("advanced",)


@watches(ForcesKilled, rule="ATR-19")
def count_losses(play: Play, killed: ForcesKilled) -> None:
    """Own forces lost in any battle count, those of a bystander of an explosion too. [ATR-18, ATR-19, BATTLE-61]"""
    if killed.faction == NAME and killed.cause in IN_BATTLE and play.table.is_advanced():
        lost = play.table.count(LOST) + sum(killed.kinds.values())
        play.set_secret(LOST, lost, NAME)


def _bar(table: Table, territory: str) -> tuple[str, str]:
    """Why it cannot be added to a plan, and the rule; empty if it can. [ATR-20, ATR-21, ATR-22, ATR-38]"""
    if KH not in zone(table, POOL):
        return "It lies in the tanks.", "ATR-25"
    if (lost := table.count(LOST)) < NEEDED:
        return f"You have lost {lost} forces in battles; it comes after {NEEDED}.", "ATR-18"
    if table.value(leader_place(KH), territory) != territory:
        return "It was used in another territory this turn.", "ATR-22"
    if table.is_set(cancelled_mark(POWER)):
        return "It is cancelled by Karama.", "ATR-38"
    return "", ""


@contributes(PlanParts, rule="ATR-21", order=30, modes=ADVANCED)
def may_join_a_plan(parts: PlanParts, table: Table) -> PlanParts:
    """It may accompany a leader or a Cheap Hero, and never fights alone. [ATR-21, ATR-23, BATTLE-28, HERO-06]"""
    if parts.faction != NAME:
        return parts
    off, rule = _bar(table, parts.territory)
    options = (Option(None, "Not used"), Option(KH, "Added: +2 if the leader lives", off, rule))
    alone = IfThen(
        Condition("leader", (None,)), Condition(KH, (None,)), "it needs a leader or a Cheap Hero", "ATR-23"
    )
    return msgspec.structs.replace(
        parts,
        more={**parts.more, KH: OneOf(options)},
        needs=(*parts.needs, alone),
        labels={**parts.labels, KH: special_leaders()[KH].name},
    )


@contributes(BattleTotal, rule="ATR-21", modes=ADVANCED)
def adds_two(total: BattleTotal, table: Table) -> BattleTotal:
    """It adds 2 if its leader is not killed. [ATR-21, BATTLE-46, BATTLE-47]"""
    if not total.plan.get(KH):
        return total
    fact = special_leaders()[KH]
    if not total.leader_lives:
        return total.step(total.value, f"{fact.name} 0, its leader is killed", "BATTLE-46")
    return total.step(total.value + fact.strength * total.per, f"{fact.name} {fact.strength}", "ATR-21")


@contributes(TraitorCallers, rule="ATR-24", order=90, modes=ADVANCED)
def protects_from_traitors(callers: TraitorCallers, table: Table) -> TraitorCallers:
    """The leader that it accompanies cannot be called. [ATR-24, TRAITOR-09]"""
    return msgspec.structs.replace(callers, callers={}) if callers.plan.get(KH) else callers


@contributes(BattlePowers, rule="ATR-38", modes=ADVANCED)
def may_be_cancelled(powers: BattlePowers, table: Table) -> BattlePowers:
    """Whoever fights Atreides must reckon with it: whether it is there already is secret. [ATR-20, ATR-38]"""
    territory = powers.clash.territory
    is_near = KH in zone(table, POOL) and table.value(leader_place(KH), territory) == territory
    if NAME not in powers.clash.sides or not is_near:
        return powers
    return powers.add(POWER, "Atreides may use the Kwisatz Haderach in this battle")


@watches(LasgunExploded, rule="ATR-25")
def dies_in_the_explosion(play: Play, exploded: LasgunExploded) -> None:
    """It dies only in an explosion in the battle where it is used. [ATR-25, LASGUN-08]"""
    if f"{KH}={KH}" in play.table.names(f"battle.plan.{NAME}"):
        play.emit(LeaderKilled(KH, NAME, "explosion", source=POOL))
        play.clear(leader_place(KH))


@contributes(LeaderPrice, rule="ATR-26", modes=ADVANCED)
def may_be_free(price: LeaderPrice, table: Table) -> LeaderPrice:
    """By ruling its revival costs nothing. [ATR-26]"""
    if price.leader != KH or ruling(table, "kh_revival_cost") != "free":
        return price
    return price.step(0, "Free by ruling", "ATR-26")
