"""What a side has shown of its plan, or said of it, it keeps the means for until the plan is revealed.

Spice and cards go elsewhere by the choice of their owner alone: a dial that was shown is not made impossible by bribes.
[ATR-09, TRUTH-06, TRUTH-08]
"""

from __future__ import annotations

from services.rules.engine.hooks import contributes, quote
from services.rules.phases.battle_plan import BoundPlan, bound_plan, clash_now, some_plan
from services.rules.phases.battle_quotes import Narrow, PlanLimit, PlanLimits
from services.rules.phases.battle_support import SPICE
from services.rules.phases.hands import BoundCards
from services.rules.phases.promises import BoundSpice
from shared.dune.events.bidding import escrow_of
from shared.dune.settings import Faction
from shared.dune.shapes import AnyOf, Number
from shared.dune.table import Table

ADVANCED = ("advanced",)
"""In the Basic game plans hold no spice, and no card of a plan serves otherwise."""


def _to_come(table: Table, side: Faction) -> BoundPlan | None:
    """The plan of a side in the battle being fought, if something binds it and it is not revealed yet."""
    clash = clash_now(table)
    if clash is None or side not in clash.sides or f"battle.plan.{side}" in table.marks:
        return None
    asked = PlanLimits(faction=side, opponent=clash.opponent(side), territory=clash.territory)
    return bound_plan(table, clash, side) if quote(table, asked).limits else None


@contributes(BoundSpice, rule="ATR-09", modes=ADVANCED)
def spice_of_the_plan(bound: BoundSpice, table: Table) -> BoundSpice:
    """The least spice with which the plan can be made; what is aside for it is kept already. [ATR-09, TRUTH-06]"""
    plan = _to_come(table, bound.faction)
    if plan is None:
        return bound
    amounts = plan.choice.fields[SPICE]
    assert isinstance(amounts, Number)
    fitting = (n for n in range(amounts.low, amounts.high + 1) if some_plan(plan.choice, **{SPICE: n}))
    least = max(0, next(fitting) - table.spice_of(escrow_of(bound.faction)))
    return bound.step(least, "What you have shown or said of your plan needs it", "ATR-09")


@contributes(BoundCards, rule="ATR-09", modes=ADVANCED)
def cards_of_the_plan(bound: BoundCards, table: Table) -> BoundCards:
    """Each card that alone can keep something that binds the plan. [ATR-09, NEXUS-ATR-14, TRUTH-06]"""
    plan = _to_come(table, bound.faction)
    if plan is None:
        return bound
    alone = {value for limit in plan.kept if len(values := _keeping(limit)) == 1 for value in values}
    cards = tuple(card for card in table.hand(bound.faction) if card in alone)
    return bound.step(
        len(cards), "What you have shown or said of your plan needs them", "ATR-09", cards=cards
    )


def _keeping(limit: PlanLimit) -> frozenset[str | int | None]:
    """The values of which one at least keeps a limit; none where it asks for no certain ones."""
    match limit:
        case Narrow(only=only) if only is not None:
            return frozenset(only)
        case AnyOf(conditions):
            return frozenset(value for condition in conditions for value in condition.values)
    return frozenset()
