"""An element of a battle plan that one side must show: chosen now, seen by one seat, and binding. [ATR-09]"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.phases.battle_grounds import Clash
from services.rules.phases.battle_plan import bound_plan, some_plan
from services.rules.phases.battle_quotes import Narrow, Plan, PlanLimits
from services.rules.phases.battle_strength import step_of_dial
from services.rules.phases.battle_support import SPICE, support_of
from shared.dune import facts
from shared.dune.events.battle import NONE, ElementShown
from shared.dune.parts import fraction
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Number, OneOf, Option, Shape
from shared.dune.table import Table

__all__ = ["ELEMENTS", "ShowElement", "impossible_element", "sealed_element", "show"]

ELEMENTS = ("leader", "weapon", "defense", "dial")
"""What of a plan can be asked for. [ATR-08]"""
SLOTS = ("weapon", "defense")


def _mark(target: Faction, element: str) -> str:
    """The mark of an element shown: who saw it, and its value; known to those two only."""
    return f"battle.shown.{target}.{element}"


def _is_none(table: Table, card: str | int | None) -> bool:
    """Whether a card in a slot is answered "none": one that is neither weapon nor defense. [ATR-14, E3C-12]"""
    if not isinstance(card, str):
        return False
    fact = facts.treachery(card)
    hides = ruling(table, "nexus.atr.worthless_in_slot") == "none"
    return not fact.counts_as_weapon_or_defense or (hides and fact.kind == "worthless")


class ShowElement(Flow, tag="battle.show", frozen=True, omit_defaults=True):
    """A side chooses the element there and then, and shows it to the seer alone.

    [ATR-09, ATR-10, ATR-12, REACT-59]

    The question is put whatever the hand is, so that nobody learns from it that there was nothing to choose.
    """

    blocks_interrupts: ClassVar[bool] = True

    seer: Faction
    target: Faction
    element: str
    clash: Clash

    def start(self, play: Play) -> Next:
        """An element that has become impossible is no longer bound. [ATR-40]"""
        if play.table.is_set(_mark(self.target, self.element)):
            play.set_secret(_mark(self.target, self.element), False, self.seer, self.target)
        return self.goto("choose")

    def choose(self, play: Play) -> Next:
        """The choices are those of the plan, so that what binds the plan binds here too. [ATR-15]"""
        bound = bound_plan(play.table, self.clash, self.target).choice
        shape = self._shape(play.table, bound)
        plan = some_plan(bound)
        assert plan is not None
        default = plan[self.element]
        if self._with_spice(play.table, bound):
            default = f"{default}/{support_of(plan)}"
        if isinstance(shape, OneOf) and default not in shape.legal():
            default = None
        seer = facts.name(self.seer)
        text = f"{seer} asks for your {self.element}. You show it to {seer} only, and must use it."
        made = offer(
            self.target,
            "prescience_answer",
            text,
            Fields({"choice": shape}, labels={"choice": self.element.capitalize()}),
            default={"choice": default},
            about={"element": self.element, "seer": self.seer, "territory": self.clash.territory},
            rules=("ATR-08", "ATR-09"),
            window=True,
        )
        return self.ask([made], then="shown")

    def shown(self, play: Play, answers: Answers) -> Next:
        """Show and bind."""
        value = answers[self.target]["choice"]
        show(play, self.seer, self.target, self.element, NONE if value is None else str(value))
        return self.done(None)

    def _shape(self, table: Table, bound: Fields) -> Shape:
        """Values with which a whole plan can be made; a worthless card is no weapon and no defense. [ATR-14]"""
        shape = bound.fields[self.element]
        if self._with_spice(table, bound):
            return _dials_with_spice(bound)
        if isinstance(shape, Number):
            fits = [n for n in range(shape.low, shape.high + 1) if some_plan(bound, dial=n)]
            if fits == list(range(fits[0], fits[-1] + 1)):
                return msgspec.structs.replace(shape, low=fits[0], high=fits[-1])
            return OneOf(tuple(Option(n, fraction(n, shape.per)) for n in fits))
        assert isinstance(shape, OneOf)
        hides = self.element in SLOTS
        options: list[Option] = []
        for option in shape.options:
            if hides and _is_none(table, option.value):
                continue
            values = [option.value]
            if hides and option.value is None:
                values += [o.value for o in shape.options if _is_none(table, o.value)]
            if any(some_plan(bound, **{self.element: value}) for value in values):
                options.append(Option(option.value, option.label))
            else:
                off = option.off or "no plan can be made with it"
                options.append(Option(option.value, option.label, off, option.rule or "ATR-15"))
        return OneOf(tuple(options))

    def _with_spice(self, table: Table, bound: Fields) -> bool:
        """Whether the spice is shown with the dial, by ruling. [ATR-13]"""
        both = ruling(table, "prescience_dial") == "number_and_spice"
        return self.element == "dial" and both and SPICE in bound.fields


def show(play: Play, seer: Faction, target: Faction, element: str, value: str) -> None:
    """Show an element to the seer alone; from now on it binds. [ATR-09]"""
    per = step_of_dial(play.table) if element == "dial" else 1
    play.emit(ElementShown(seer, target, element, value, per))


def sealed_element(table: Table, plan: Plan, element: str) -> str:
    """What a committed plan answers when it is asked for one of its elements, and nothing else of it.

    [ATR-13, ATR-14, BATTLE-21]
    """
    value = plan[element]
    if element == "dial" and SPICE in plan and ruling(table, "prescience_dial") == "number_and_spice":
        return f"{value}/{support_of(plan)}"
    return NONE if value is None or (element in SLOTS and _is_none(table, value)) else str(value)


def _dials_with_spice(bound: Fields) -> OneOf:
    """Every dial together with each amount of spice that fits it, as `7/2`. [ATR-13]"""
    dial, spice = bound.fields["dial"], bound.fields[SPICE]
    assert isinstance(dial, Number) and isinstance(spice, Number)
    options = [
        Option(f"{steps}/{paid}", f"{fraction(steps, dial.per)} with {paid} spice")
        for steps in range(dial.low, dial.high + 1)
        for paid in range(spice.low, spice.high + 1)
        if some_plan(bound, dial=steps, spice=paid)
    ]
    return OneOf(tuple(options))


def impossible_element(table: Table, clash: Clash) -> ShowElement | None:
    """The element shown that its side can no longer use, to be shown anew; None if all stand. [ATR-40]"""
    for side in clash.sides:
        for limit in bound_plan(table, clash, side).dropped:
            if isinstance(limit, Narrow) and limit.shown:
                seer = table.names(_mark(side, limit.shown))[0]
                return ShowElement(seer, side, limit.shown, clash)
    return None


@contributes(PlanLimits, rule="ATR-09", order=20)
def must_use_what_it_showed(limits: PlanLimits, table: Table) -> PlanLimits:
    """What was shown binds; everything else stays free. [ATR-09, ATR-10, ATR-16]"""
    for element in ELEMENTS:
        shown = table.names(_mark(limits.faction, element))
        if shown:
            text = f"you showed {facts.name(shown[0])} another {element}"
            for field, only in _bound_by(table, limits.faction, element, shown[1]).items():
                limits = limits.add(Narrow(field=field, only=only, text=text, rule="ATR-09", shown=element))
    return limits


def _bound_by(
    table: Table, faction: Faction, element: str, shown: str
) -> dict[str, tuple[str | int | None, ...]]:
    """The fields of a plan that an element shown binds, with the values that fit it.

    "none" leaves the slot to a worthless card. [ATR-14] A dial that was shown with its spice binds both. [ATR-13]
    """
    if element == "dial":
        dial, _, spice = shown.partition("/")
        bound: dict[str, tuple[str | int | None, ...]] = {element: (int(dial),)}
        return {**bound, SPICE: (int(spice),)} if spice else bound
    if shown != NONE:
        return {element: (shown,)}
    if element in SLOTS:
        return {element: (None, *(card for card in table.hand(faction) if _is_none(table, card)))}
    return {element: (None,)}
