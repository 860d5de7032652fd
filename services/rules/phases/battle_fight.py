"""One battle, from its announcement to its aftermath. [BATTLE-19]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import Moment
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.phases.battle_aftermath import KeepCards, discard_plan
from services.rules.phases.battle_grounds import Clash, fighters_in
from services.rules.phases.battle_losses import ChooseForces, lose, lose_all, sets_of
from services.rules.phases.battle_plan import OPENED, PLAN, bound_plan, has_leader, some_plan
from services.rules.phases.battle_powers import cancelled_powers, lift_cancelled
from services.rules.phases.battle_quotes import Plan
from services.rules.phases.battle_resolve import Verdict, judge, way_of_result
from services.rules.phases.battle_shown import impossible_element
from services.rules.phases.battle_strength import reasons_of, step_of_dial
from services.rules.phases.battle_support import SPICE, support_of
from services.rules.phases.battle_traitors import TraitorCalls
from services.rules.phases.leaders import all_held
from services.rules.phases.storm import WHEELS
from shared.dune import facts
from shared.dune.events.battle import (
    BattleBegan,
    BattleEnded,
    LeaderMissed,
    LeaderStayed,
    PlanRevealed,
    PlanSealed,
    PlanShown,
)
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Table

__all__ = ["Battle"]


class Battle(Flow, tag="battle.one", frozen=True, omit_defaults=True):
    """One battle between two sides. `plans` is filled when both are revealed, `verdict` when it is decided.

    `opened` holds the plan of a side that had to commit first, and `shown_without` its powers that were off by then.
    What is left for a plan hangs on hidden hands and spice: both sides are asked whatever it is. [BATTLE-19, ATR-32]

    Moments: `battle.announced`, `battle.before_plans` (Voice at 10, Prescience at 20), `battle.before_result`,
    `battle.loser_discards`, `battle.after` (capture).
    """

    asks_always: ClassVar[bool] = True

    clash: Clash
    opened: dict[Faction, Plan] = {}
    shown_without: tuple[str, ...] = ()
    plans: dict[Faction, Plan] = {}
    calls: dict[Faction, Faction] = {}
    verdict: Verdict | None = None

    def start(self, play: Play) -> Next:
        """Say who fights, and who has no leader for it. [BATTLE-11]"""
        clash = self.clash
        play.emit(BattleBegan(clash.aggressor, clash.defender, clash.territory, clash.places))
        for side in clash.sides:
            if not has_leader(play.table, clash, side):
                play.emit(LeaderMissed(side, clash.territory))
        return self.call(Moment("battle.announced", clash.subject()), then="announced")

    def announced(self, play: Play, result: Json) -> Next:
        """What comes before the plans, in this order: Voice, then Prescience. [BATTLE-20]"""
        return self.call(Moment("battle.before_plans", self.clash.subject()), then="begin_plans")

    def begin_plans(self, play: Play, result: Json) -> Next:
        """Both take up their wheels. [STORM-04]"""
        if play.ruling("wheel_holders") == "battle_begun":
            play.set_public(WHEELS, self.clash.sides)
        return self.goto("plan")

    def plan(self, play: Play) -> Next:
        """Both make their plans, secretly and together; after an interruption anew from the table.

        Where somebody sees a whole plan, its side commits first. [BATTLE-21, REACT-62, ATR-32]
        """
        if anew := impossible_element(play.table, self.clash):
            return self.call(anew, then="plan_again")
        first = play.table.names(OPENED)[1:]
        offers = {side: plan_offer(play.table, self.clash, side) for side in self.clash.sides}
        if first and not self._stands(play.table, offers[first[0]]):
            return self.ask([offers[first[0]]], then="open_plan")
        return self.ask([made for side, made in offers.items() if side not in first], then="reveal")

    def _stands(self, table: Table, now: Offer) -> bool:
        """Whether the plan that was committed first still does: it is made again if a power of its side is off now."""
        held = self.opened.get(now.seat)
        same = self.shown_without == tuple(cancelled_powers(table, now.seat))
        return held is not None and same and now.problem(held) is None

    def open_plan(self, play: Play, answers: Answers) -> Next:
        """It is shown to whoever may see it, and may not be changed any more; by ruling both are then free again.

        [ATR-32]
        """
        ((side, plan),) = answers.items()
        seer = play.table.names(OPENED)[0]
        play.emit(PlanShown(seer, side, plan, step_of_dial(play.table)))
        if play.ruling("full_plan_timing") == "remake_after":
            play.clear(OPENED)
            return self.goto("plan")
        self.sealed(play, side, plan)
        off = tuple(cancelled_powers(play.table, side))
        return self.replace(opened={side: plan}, shown_without=off).goto("plan")

    def sealed(self, play: Play, seat: Faction, answer: Json) -> None:
        """Spice and cards of a committed plan are set aside until the result. [BATTLE-64]"""
        if SPICE in answer:
            cards = tuple(card for card in play.table.hand(seat) if card in answer.values())
            play.emit(PlanSealed(seat, support_of(answer), cards))

    def still_holds(self, before: Offer, now: Offer) -> bool:
        """Whose power was cancelled makes its plan again. [REACT-61]"""
        return before.about.get("cancelled") == now.about.get("cancelled")

    def plan_again(self, play: Play, result: Json) -> Next:
        """Back to the plans when an element has been shown anew. [ATR-40]"""
        return self.goto("plan")

    def reveal(self, play: Play, answers: Answers) -> Next:
        """Both plans become public together; then traitors may be called. [BATTLE-29, TRAITOR-01]"""
        if play.ruling("wheel_holders") == "plans_revealed":
            play.set_public(WHEELS, self.clash.sides)
        plans = {side: self.opened.get(side) or answers[side] for side in self.clash.sides}
        for side, plan in plans.items():
            main: Json = {key: plan[key] for key in ("leader", "dial", "weapon", "defense")}
            more = {key: value for key, value in plan.items() if key not in main}
            play.emit(PlanRevealed(side, **main, more=more, per=step_of_dial(play.table)))
        revealed = self.replace(plans=plans, opened={})
        return revealed.call(TraitorCalls(self.clash, revealed.plans), then="decide")

    def decide(self, play: Play, calls: Json) -> Next:
        """The calls that stand, and so the way in which it is decided; cards may have their effect before."""
        way = way_of_result(play.table, self.clash, calls)
        subject = {**self.clash.subject(), "way": way, "calls": calls, "plans": self.plans}
        return self.replace(calls=calls).call(Moment("battle.before_result", subject), then="result")

    def result(self, play: Play, result: Json) -> Next:
        """The result; the beaten lose all that took part. [BATTLE-53, TRAITOR-05, TRAITOR-08]"""
        verdict = judge(play, self.clash, self.plans, self.calls)
        for side in self.clash.sides:
            if verdict.how != "explosion" and side != verdict.winner:
                lose_all(play, side, self.clash.places)
        self._keep_in_place(play, verdict)
        return self.replace(verdict=verdict).goto("losses")

    def _keep_in_place(self, play: Play, verdict: Verdict) -> None:
        """Leaders that fought and live stay here, special ones too; those of a traitor's caller were not used.

        [BATTLE-14, TRAITOR-07, ATR-22]
        """
        for side in self.clash.sides:
            if verdict.how == "traitor" and side == verdict.winner:
                continue
            pool = all_held(play.table, side)
            for leader in self.plans[side].values():
                if isinstance(leader, str) and leader in pool:
                    play.emit(LeaderStayed(leader, self.clash.territory))

    def losses(self, play: Play) -> Next:
        """The winner by strength loses exactly what it dialed; the winner by traitor nothing.

        [BATTLE-56, TRAITOR-03]
        """
        verdict = self._verdict()
        if verdict.winner is None or verdict.how != "strength":
            return self.goto("discards")
        sets = sets_of(play.table, self.clash, verdict.winner, self.plans[verdict.winner])
        return self.call(ChooseForces(verdict.winner, self.clash.places, sets), then="lost")

    def lost(self, play: Play, chosen: Json) -> Next:
        """They go to the tanks; on to the cards."""
        winner = self._verdict().winner
        assert winner is not None
        lose(play, winner, chosen)
        return self.goto("discards")

    def discards(self, play: Play) -> Next:
        """Who did not win discards every card of its plan, the winner chooses.

        [BATTLE-54, BATTLE-57, CARD-07]
        """
        winner = self._verdict().winner
        if winner is None:
            return self.goto("discard_played")
        subject = {**self.clash.subject(), "winner": winner, "loser": self.clash.opponent(winner)}
        return self.call(Moment("battle.loser_discards", subject), then="discard_played")

    def discard_played(self, play: Play, result: Json = None) -> Next:
        """What is left of the plans."""
        verdict = self._verdict()
        for side in self.clash.sides:
            if side != verdict.winner:
                discard_plan(play, side)
        if verdict.winner is None:
            return self.goto("after")
        return self.call(KeepCards(verdict.winner, verdict.how == "traitor"), then="kept")

    def kept(self, play: Play, result: Json) -> Next:
        """On to what follows."""
        return self.goto("after")

    def after(self, play: Play) -> Next:
        """Whoever has something to do after a battle is completely resolved."""
        verdict = self._verdict()
        subject = {
            **self.clash.subject(),
            "winner": verdict.winner,
            "how": verdict.how,
            "plans": self.plans,
        }
        return self.call(Moment("battle.after", subject), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """Forget what was remembered for this battle."""
        lift_cancelled(play)
        play.emit(BattleEnded(self.clash.territory))
        return self.done()

    def _verdict(self) -> Verdict:
        assert self.verdict is not None
        return self.verdict


def plan_offer(table: Table, clash: Clash, side: Faction) -> Offer:
    """The question for a side's battle plan, with all that binds it and why. [BATTLE-10, BATTLE-30]"""
    bound = bound_plan(table, clash, side)
    opponent = clash.opponent(side)
    gone, reasons = cancelled_powers(table, side), reasons_of(table, clash, side)
    why = (
        f"Battle in {facts.name(clash.territory)} against {facts.name(opponent)}: dial how many of your forces fight "
        "(and die if you win), choose a leader, and a weapon and a defense if you like."
    )
    return offer(
        side,
        PLAN,
        why,
        bound.choice,
        default=some_plan(bound.choice),
        about={
            "territory": clash.territory,
            "aggressor": clash.aggressor,
            "opponent": opponent,
            "forces": {one: fighters_in(table, clash.places, one) for one in clash.sides},
            **({"cancelled": gone} if gone else {}),
            **({"strength": reasons} if reasons else {}),
        },
        rules=("BATTLE-10", "BATTLE-22", "BATTLE-23"),
    )
