"""A battle plan as a choice: what could fill it, what binds it, and the plan that silence means."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import msgspec
from msgspec import Struct

from services.rules.engine.flow import Frame
from services.rules.engine.hooks import quote
from services.rules.engine.occasions import this_turn
from services.rules.phases.battle_grounds import Clash, fighters_in
from services.rules.phases.battle_quotes import Narrow, Plan, PlanLimit, PlanLimits, PlanParts
from services.rules.phases.leaders import available_leaders
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import (
    AnyOf,
    Distinct,
    Fields,
    IfThen,
    Need,
    Number,
    OneOf,
    Option,
    Pairs,
    Shape,
)
from shared.dune.table import Piece, Table

__all__ = [
    "OPENED",
    "PLAN",
    "BoundPlan",
    "bound_plan",
    "can_keep",
    "clash_now",
    "committed_plan",
    "has_leader",
    "lent_to",
    "plan_parts",
    "plans_are_awaited",
    "some_plan",
    "this_battle",
]

OPENED = "battle.opened"
"""Public mark: who sees the whole plan of which side; that side commits first. [ATR-31, ATR-32]"""
PLAN = "battle_plan"
"""The kind of offer with which a plan is made."""
NO_LEADER = "without a leader or Cheap Hero no card may be played"


class BoundPlan(Struct, frozen=True):
    """A plan's choice with all limits that can be kept; `dropped` are those that cannot. [BG-12, BG-14]"""

    choice: Fields
    kept: tuple[PlanLimit, ...]
    dropped: tuple[PlanLimit, ...]


def plan_parts(table: Table, clash: Clash, side: Faction) -> PlanParts:
    """What could fill a side's plan by its leaders and its hand.

    [BATTLE-12, BATTLE-24, BATTLE-25, CARD-03, CARD-04]
    """
    leaders = available_leaders(table, side, clash.territory)
    base = PlanParts(
        faction=side,
        opponent=clash.opponent(side),
        territory=clash.territory,
        places=clash.places,
        leaders=tuple(Option(leader, _leader_label(leader)) for leader in leaders),
        weapons=_cards_for(table, side, "weapon"),
        defenses=_cards_for(table, side, "defense"),
        dial=Number(0, fighters_in(table, clash.places, side), "forces", "BATTLE-22"),
    )
    return quote(table, base)


def has_leader(table: Table, clash: Clash, side: Faction) -> bool:
    """Whether a side has a leader or Cheap Hero to put into its plan. [BATTLE-10, BATTLE-11]"""
    return bool(plan_parts(table, clash, side).leaders)


def _cards_for(table: Table, side: Faction, slot: str) -> tuple[Option, ...]:
    return tuple(
        Option(card, facts.name(card)) for card in table.hand(side) if slot in facts.treachery(card).slots
    )


def _leader_label(leader: Piece) -> str:
    return f"{facts.name(leader)} ({facts.leader(leader).strength})"


def bound_plan(table: Table, clash: Clash, side: Faction) -> BoundPlan:
    """A side's plan with what binds it; each limit holds as far as a plan that keeps the earlier ones can keep it.

    [BG-12]
    """
    parts = plan_parts(table, clash, side)
    asked = PlanLimits(faction=side, opponent=clash.opponent(side), territory=clash.territory)
    kept: tuple[PlanLimit, ...] = ()
    dropped: tuple[PlanLimit, ...] = ()
    choice = _choice(parts, kept)
    for limit in quote(table, asked).limits:
        tried = _choice(parts, (*kept, limit))
        if some_plan(tried) is None:
            dropped = (*dropped, limit)
        else:
            kept, choice = (*kept, limit), tried
    return BoundPlan(choice, kept, dropped)


def can_keep(table: Table, clash: Clash, side: Faction, limit: PlanLimit) -> bool:
    """Whether a side could make a plan that keeps a further limit besides all that binds it now: for promises.

    [CARD-08]
    """
    bound = bound_plan(table, clash, side).choice
    return some_plan(_limited(bound, limit)) is not None


def _limited(choice: Fields, limit: PlanLimit) -> Fields:
    if not isinstance(limit, Narrow):
        return Fields(choice.fields, (*choice.needs, limit), choice.labels)
    shape = choice.fields[limit.field]
    return Fields({**choice.fields, limit.field: _narrowed(shape, limit)}, choice.needs, choice.labels)


def _choice(parts: PlanParts, limits: tuple[PlanLimit, ...]) -> Fields:
    narrows = [limit for limit in limits if isinstance(limit, Narrow)]
    leaders = _leader_slot(parts, narrows)
    leaderless = None in leaders.legal()
    fields: dict[str, Shape] = {
        "leader": leaders,
        "dial": parts.dial,
        "weapon": _card_slot(parts.weapons, leaderless),
        "defense": _card_slot(parts.defenses, leaderless),
        **parts.more,
    }
    for narrow in narrows:
        if narrow.field != "leader":
            fields[narrow.field] = _narrowed(fields[narrow.field], narrow)
    labels = {"leader": "Leader", "dial": "Dial", "weapon": "Weapon", "defense": "Defense", **parts.labels}
    further = tuple(limit for limit in limits if not isinstance(limit, Narrow))
    return Fields(fields, (*_one_slot(parts), *parts.needs, *further), labels)


def _leader_slot(parts: PlanParts, narrows: list[Narrow]) -> OneOf:
    """Leaders and Cheap Heroes; none only for who has none, or none left by a command that is stronger.

    [BATTLE-10, BG-17]
    """
    slot = OneOf((*parts.leaders, Option(None, "No leader")))
    mine = [narrow for narrow in narrows if narrow.field == "leader"]
    has = [leader for leader in parts.leaders if not leader.off]
    stronger = [narrow for narrow in mine if narrow.beats_leader_rule]
    if any(not any(narrow.bars(leader.value) for narrow in stronger) for leader in has):
        must = "you have a leader or Cheap Hero for this battle, so one must fight"
        slot = _slot(slot, Narrow(field="leader", never=(None,), text=must, rule="BATTLE-10"))
    for narrow in mine:
        slot = _slot(slot, narrow)
    return slot


def _card_slot(cards: tuple[Option, ...], leaderless: bool) -> OneOf:
    """The cards for a slot; none at all in a plan without a leader. [BATTLE-17, BATTLE-26, WORTH-04]"""
    slot = OneOf((Option(None, "None"), *cards))
    if leaderless:
        return _slot(slot, Narrow(field="", only=(None,), text=NO_LEADER, rule="BATTLE-17"))
    return slot


def _slot(slot: OneOf, narrow: Narrow) -> OneOf:
    """A slot under a limit: options that it bars stay visible, with the reason."""
    return OneOf(
        tuple(
            Option(o.value, o.label, o.off or narrow.text, o.rule if o.off else narrow.rule)
            if narrow.bars(o.value)
            else o
            for o in slot.options
        )
    )


def _narrowed(shape: Shape, narrow: Narrow) -> Shape:
    """A field's shape under a limit; TypeError for a shape that no limit can narrow."""
    match shape:
        case OneOf():
            return _slot(shape, narrow)
        case Number(low, high):
            fitting = [n for n in range(low, high + 1) if not narrow.bars(n)]
            if fitting and fitting == list(range(fitting[0], fitting[-1] + 1)):
                low, high = fitting[0], fitting[-1]
            else:
                low, high = 0, -1
            return msgspec.structs.replace(shape, low=low, high=high, rule=narrow.rule)
    raise TypeError(f"a plan's field of shape {type(shape).__name__} cannot be narrowed")


def _one_slot(parts: PlanParts) -> tuple[Distinct, ...]:
    """One card fills one slot. [BATTLE-27]"""
    both = {option.value for option in parts.weapons} & {option.value for option in parts.defenses}
    text = "one card cannot fill both slots"
    return (Distinct(("weapon", "defense"), text, "BATTLE-27"),) if both else ()


def some_plan(choice: Fields, **fixed: str | int | None) -> Plan | None:
    """The first legal plan with these fields fixed; None if there is none.

    With nothing fixed it is the default: the weakest leader, dial 0, no cards, as far as it may. [BATTLE-30]
    Fields that no need ties to each other are filled independently of each other.
    """
    plan: Plan = {}
    for names in _tied(choice):
        part = _fill(choice, names, fixed)
        if part is None:
            return None
        plan.update(part)
    return {name: plan[name] for name in choice.fields}


def _tied(choice: Fields) -> list[list[str]]:
    """The fields of a plan in groups, such that no need speaks of fields of two groups."""
    groups: list[list[str]] = [[name] for name in choice.fields]
    for need in choice.needs:
        named = set(_fields_of(need))
        joined = [name for group in groups if named.intersection(group) for name in group]
        groups = [group for group in groups if not named.intersection(group)] + [joined]
    return [group for group in groups if group]


def _fill(choice: Fields, names: list[str], fixed: dict[str, str | int | None]) -> Plan | None:
    """The first legal values of a group of fields, earlier fields of the plan first."""
    ordered = [name for name in choice.fields if name in names]
    needs = [need for need in choice.needs if set(_fields_of(need)) & set(ordered)]
    ranges = [[fixed[name]] if name in fixed else list(_values(choice, name)) for name in ordered]
    for values in product(*ranges):
        part = dict(zip(ordered, values, strict=True))
        if all(choice.fields[name].problem(value) is None for name, value in part.items()) and all(
            need.holds(part) for need in needs
        ):
            return part
    return None


def _values(choice: Fields, name: str) -> Iterator[str | int | None]:
    shape = choice.fields[name]
    match shape:
        case OneOf():
            yield from sorted(shape.legal(), key=_rank) if name == "leader" else shape.legal()
        case Number(low, high):
            yield from range(low, high + 1 if _is_tied(choice, name) else min(low, high) + 1)
        case _:
            raise TypeError(f"a plan cannot hold a field of shape {type(shape).__name__}")


def _rank(leader: str | int | None) -> tuple[int, int]:
    """Leaders before Cheap Heroes, the weakest first."""
    fact = facts.leaders().get(str(leader))
    return (0, fact.strength) if fact else (1, 0)


def _is_tied(choice: Fields, name: str) -> bool:
    """Whether some need speaks of a field, so that its lowest value alone may not do."""
    return any(name in _fields_of(need) for need in choice.needs)


def _fields_of(need: Need) -> tuple[str, ...]:
    match need:
        case IfThen(cond, then):
            return cond.field, then.field
        case AnyOf(conditions):
            return tuple(condition.field for condition in conditions)
        case Distinct(fields):
            return fields
        case Pairs(first, second):
            return first, second
        case _:
            return (*need.plus, *need.minus)


def clash_now(table: Table) -> Clash | None:
    """The battle being fought now, by its public marks; None between battles."""
    sides = table.names("battle.sides")
    if not sides:
        return None
    return Clash(sides[0], sides[1], str(table.value("battle.territory")), table.names("battle.places"))


def this_battle(table: Table) -> str:
    """The occasion of what may be done in a battle: who fights whom on which ground; between battles the turn.

    Two fight at most once a turn on a ground: whoever loses leaves nobody there. [BATTLE-53, NEXUS-42]
    """
    clash = clash_now(table)
    return this_turn(table) if clash is None else ".".join((this_turn(table), clash.places[0], *clash.sides))


def plans_are_awaited(stack: tuple[Frame, ...]) -> bool:
    """Whether the plans of a battle are being made: some plan is still to come. Everybody can see that."""
    return any(offer.kind == PLAN for offer in stack[-1].asked)


def committed_plan(stack: tuple[Frame, ...], side: Faction) -> Plan | None:
    """The plan that a side has committed in a battle whose plans are not revealed yet: private to that side.

    [BATTLE-21]
    """
    for frame in reversed(stack):
        if any(asked.kind == PLAN and asked.seat == side for asked in frame.asked):
            return frame.answers.get(side)
        opened: dict[Faction, Plan] = getattr(frame.flow, "opened", {})
        if side in opened:
            return opened[side]
    return None


def lent_to(table: Table, clash: Clash | None, owner: Faction) -> Faction | None:
    """The side that a power for one's own and one's ally's battles serves: the owner's, else its ally's.

    [ATR-29, BG-42]
    """
    if clash is None or owner not in table.seats:
        return None
    if owner in clash.sides:
        return owner
    ally = table.ally_of(owner)
    return ally if ally in clash.sides else None
