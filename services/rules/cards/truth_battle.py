"""Questions about the plan of the battle being fought, and how a plan obeys the answers. [TRUTH-06, TRUTH-15]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.cards.truth_forms import EITHER, NO, UNKNOWN, YES, Form, Question, asked_of, form
from services.rules.engine.hooks import contributes
from services.rules.engine.play import Play
from services.rules.engine.watching import watches
from services.rules.phases.battle_grounds import Clash
from services.rules.phases.battle_plan import can_keep, clash_now
from services.rules.phases.battle_quotes import Narrow, Plan, PlanLimit, PlanLimits
from services.rules.phases.battle_strength import step_of_dial
from services.rules.phases.leaders import all_held, captives_held
from services.rules.phases.pledges import end_pledges, pledges_of
from shared.dune import facts
from shared.dune.decks import treachery_faces
from shared.dune.events.battle import BattleEnded
from shared.dune.settings import Faction
from shared.dune.shapes import AnyOf, Condition, Fields, Json, Limit, Number, OneOf, Option
from shared.dune.table import Table

PLAY, DIAL = "play", "dial"
"""Forms of pledges about a plan; `what` is the thing or number. They end with their battle."""
SLOTS = ("leader", "weapon", "defense")
SAID = "You answered Truthtrance otherwise."


class PlanForm(Form):
    """Base of the questions about a plan that is not revealed yet."""

    is_intent: ClassVar[bool] = True
    pledge_form: ClassVar[str]
    field: ClassVar[str]

    def sides(self, table: Table, others: tuple[Faction, ...]) -> tuple[Faction, ...]:
        """The sides of the battle whose plans are to come, as far as they can be asked."""
        clash = clash_now(table)
        sides = clash.sides if clash else ()
        return tuple(o for o in others if o in sides and f"battle.plan.{o}" not in table.marks)

    def truths(self, table: Table, question: Question, sealed: Json) -> tuple[str, ...]:
        """A committed plan tells; otherwise what can be planned, and what was said before. [WINPOL-18]"""
        clash = clash_now(table)
        if clash is None or question["seat"] not in clash.sides:
            return (UNKNOWN,)
        thing = str(question[self.field])
        if sealed is not None:
            return (YES,) if fits_plan(table, self.pledge_form, thing, sealed) else (NO,)
        made = self.pledge(table, question)
        for said in pledges_of(table, question["seat"], self.pledge_form):
            if (said.form, said.what) == made:
                return (YES,) if said.will else (NO,)
        left = tuple(
            answer
            for answer in (YES, NO)
            if _can_keep(table, clash, question["seat"], self.pledge_form, thing, answer == YES)
        )
        return EITHER if len(left) == 2 else left or (UNKNOWN,)

    def pledge(self, table: Table, question: Question) -> tuple[str, str] | None:
        """The pledge, for this battle alone."""
        return (self.pledge_form, str(question[self.field])) if clash_now(table) else None


@form
class WillPlay(PlanForm):
    """Will you play this leader, card or kind of card in this battle?"""

    name: ClassVar[str] = "will_play"
    label: ClassVar[str] = "Will you play this in this battle?"
    pledge_form: ClassVar[str] = PLAY
    field: ClassVar[str] = "thing"

    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """Leaders of the sides and of those whose leaders they hold, cards that fit a plan, kinds of such cards."""
        sides = self.sides(table, others)
        if not sides:
            return None
        cards = [fact for fact in treachery_faces(table.settings.decks) if fact.slots]
        kinds = dict.fromkeys(card.kind for card in cards if card.kind not in facts.treachery_cards())
        held = {facts.leader(leader).faction for side in sides for leader in captives_held(table, side)}
        owners = (*sides, *(owner for owner in table.seats if owner in held and owner not in sides))
        leaders = [leader for owner in owners for leader in facts.leaders_of(owner)]
        options = [Option(kind, f"any {facts.name(kind)}") for kind in kinds]
        options += [Option(name, facts.name(name)) for name in (*(c.id for c in cards), *leaders)]
        return asked_of(sides, {"thing": OneOf(tuple(options))}, thing="Leader, card or kind")

    def text(self, question: Question) -> str:
        """In words."""
        return f"Will you play {facts.name(question['thing'])} in this battle?"


@form
class WillDial(PlanForm):
    """Will you dial at least so much?"""

    name: ClassVar[str] = "will_dial"
    label: ClassVar[str] = "Will you dial at least this much in this battle?"
    pledge_form: ClassVar[str] = DIAL
    field: ClassVar[str] = "number"

    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """Any number of forces."""
        sides = self.sides(table, others)
        return asked_of(sides, {"number": Number(1, 20, "forces")}, number="At least") if sides else None

    def text(self, question: Question) -> str:
        """In words."""
        return f"Will you dial at least {question['number']} in this battle?"


def is_thing(piece: str | int | None, thing: str) -> bool:
    """Whether what fills a slot of a plan is this leader, this card, or of this kind."""
    if not isinstance(piece, str):
        return False
    face = facts.face(piece)
    card = facts.treachery_cards().get(face)
    return face == thing or (card is not None and card.kind == thing)


def fits_plan(table: Table, pledge_form: str, thing: str, plan: Plan) -> bool:
    """Whether a plan does what was asked."""
    if pledge_form == DIAL:
        return int(plan["dial"] or 0) >= int(thing) * step_of_dial(table)
    return any(is_thing(plan.get(slot), thing) for slot in SLOTS)


def limit_of(table: Table, side: Faction, pledge_form: str, thing: str, will: bool) -> tuple[PlanLimit, ...]:
    """The limits that a pledge puts on a plan; empty if it asks nothing of this hand. [TRUTH-06, TRUTH-07]"""
    if pledge_form == DIAL:
        number = int(thing) * step_of_dial(table)
        low, high = (number, 99) if will else (0, number - 1)
        return (Limit(plus=("dial",), most=high, least=low, text=SAID, rule="TRUTH-06"),)
    leaders = tuple(leader for leader in all_held(table, side) if leader == thing)
    cards = [card for card in table.hand(side) if is_thing(card, thing)]
    fits = {slot: tuple(c for c in cards if slot in facts.treachery(c).slots) for slot in SLOTS}
    fits["leader"] = (*leaders, *fits["leader"])
    slots = {slot: pieces for slot, pieces in fits.items() if pieces}
    if not slots:
        return ()
    if will:
        return (AnyOf(tuple(Condition(s, p) for s, p in slots.items()), SAID, "TRUTH-06"),)
    return tuple(Narrow(field=s, never=p, text=SAID, rule="TRUTH-07") for s, p in slots.items())


def _can_keep(table: Table, clash: Clash, side: Faction, pledge_form: str, thing: str, will: bool) -> bool:
    found = limit_of(table, side, pledge_form, thing, will)
    if not found:
        return not will
    return all(can_keep(table, clash, side, limit) for limit in found)


@watches(BattleEnded, rule="TRUTH-06")
def bound_in_this_battle(play: Play, ended: BattleEnded) -> None:
    """What was said about a plan concerns that battle alone. [TRUTH-06, TRUTH-07]"""
    end_pledges(play, lambda pledge: pledge.form in (PLAY, DIAL), "the battle is over")


@contributes(PlanLimits, rule="TRUTH-06", order=5)
def bound_by_answers(asked: PlanLimits, table: Table) -> PlanLimits:
    """A plan keeps what its owner said about it, as far as it can. [TRUTH-06, TRUTH-08, TRUTH-15]"""
    for said in pledges_of(table, asked.faction, PLAY, DIAL):
        for limit in limit_of(table, asked.faction, said.form, said.what, said.will):
            asked = asked.add(limit)
    return asked
