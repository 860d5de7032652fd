"""Calling traitors: decided secretly, revealed together. [TRAITOR-01, TRAITOR-02]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Answers, Flow, Frame, Next
from services.rules.engine.hooks import quote
from services.rules.engine.moments import Moment
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.phases.battle_grounds import Clash
from services.rules.phases.battle_quotes import Plan, TraitorCallers
from shared.dune import facts
from shared.dune.events.battle import TraitorCalled
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, Variant
from shared.dune.table import Piece, Table, zone

__all__ = ["CALLED", "UNHELD", "VOID_CALLS", "TraitorCalls", "had_no_call", "has_called"]

VOID_CALLS = "battle.void_calls"
"""Public mark: the sides whose traitor call was made void after it had been revealed."""
CALLED = "battle.sealed_call."
"""Prefix of secret marks: a seat has called, and that stands whatever becomes of the card meanwhile. [TRAITOR-02]"""
UNHELD = "battle.no_call."
"""Prefix of secret marks: a seat has passed without the card, and a card that it draws afterwards gives it no call."""


class TraitorCalls(Flow, tag="battle.traitors", frozen=True, omit_defaults=True):
    """Each side whose opponent shows a leader may call it, and so may who can call for that side.

    [REACT-63, TRAITOR-13]

    Result: for each side with a call that stands, who called. `called` are all calls; `checked` the sides whose call
    was already put to those who could cancel it; `stood` those whose call was then let stand.

    Moment `traitor.stands`: a call that nobody has cancelled, before its outcome; a guest may put its side into the
    mark `battle.void_calls`.
    """

    clash: Clash
    plans: dict[Faction, Plan]
    called: dict[Faction, Faction] = {}
    checked: tuple[Faction, ...] = ()
    stood: tuple[Faction, ...] = ()

    def start(self, play: Play) -> Next:
        """Everybody who could call is asked, whatever it holds; a Cheap Hero is no traitor.

        [TRAITOR-10, HERO-05, WINPOL-01]
        """
        asked = [
            self._offer(play.table, side, caller)
            for side in self.clash.sides
            for caller in self._callers(play.table, side)
        ]
        return self.ask(asked, then="answered") if asked else self.goto("over")

    def answered(self, play: Play, answers: Answers) -> Next:
        """All calls are revealed together; a side has one call at most, its own before another's.

        [TRAITOR-02, HARK-24]
        """
        called: dict[Faction, Faction] = {}
        for side in self.clash.sides:
            callers = self._callers(play.table, side)
            for caller in sorted(callers, key=lambda one: one != side):
                if answers[caller]["do"] == "call" and side not in called:
                    called[side] = caller
                    play.emit(TraitorCalled(caller, side, self._leader(side)))
        return self.replace(called=called).goto("check")

    def check(self, play: Play) -> Next:
        """A call made for another by a power may be cancelled; a call with one's own card not.

        [REACT-64, HARK-31, HARK-34]
        """
        for side, caller in self.called.items():
            power = self._callers(play.table, side)[caller]
            if power and side not in self.checked:
                text = f"{facts.name(caller)} calls {facts.name(self._leader(side))} a traitor for {facts.name(side)}."
                window = cancel_window(power, caller, text, side=side, leader=self._leader(side))
                return self.replace(checked=(*self.checked, side)).call(window, then="contested")
        return self.goto("stand")

    def stand(self, play: Play) -> Next:
        """Each call that nobody cancelled, one after another."""
        for side, caller in self.called.items():
            if side not in self.stood:
                subject = {
                    "side": side,
                    "caller": caller,
                    "leader": self._leader(side),
                    "territory": self.clash.territory,
                }
                stood = self.replace(stood=(*self.stood, side))
                return stood.call(Moment("traitor.stands", subject), then="stood_or_void")
        return self.goto("over")

    def stood_or_void(self, play: Play, result: Json) -> Next:
        """A call made void has no effect."""
        void = play.table.names(VOID_CALLS)
        left = {side: caller for side, caller in self.called.items() if side not in void}
        return self.replace(called=left).goto("stand")

    def contested(self, play: Play, outcome: Json) -> Next:
        """A call that was cancelled has no effect. [HARK-31]"""
        if outcome is None:
            return self.goto("check")
        left = {side: caller for side, caller in self.called.items() if side != self.checked[-1]}
        return self.replace(called=left).goto("check")

    def over(self, play: Play) -> Next:
        """What stands."""
        return self.done(self.called)

    def _leader(self, side: Faction) -> Piece:
        """The opponent's leader."""
        return str(self.plans[self.clash.opponent(side)]["leader"])

    def _callers(self, table: Table, side: Faction) -> dict[Faction, str]:
        """Who may call for a side, with the power it uses for that (none for its own call)."""
        opponent, leader = self.clash.opponent(side), self._leader(side)
        if leader not in facts.leaders():
            return {}
        plan = self.plans[opponent]
        base = TraitorCallers(side=side, opponent=opponent, leader=leader, plan=plan, callers={side: ""})
        return quote(table, base).callers

    def _offer(self, table: Table, side: Faction, caller: Faction) -> Offer:
        """The same question for all; only a holder can call. [TRAITOR-01, TRAITOR-14]"""
        leader = self._leader(side)
        name = facts.name(leader)
        label = f"Call {name} a traitor"
        stands = table.is_set(f"{CALLED}{caller}")
        has_card = f"traitor:{leader}" in zone(table, f"traitors.{caller}")
        late = has_card and table.is_set(f"{UNHELD}{caller}")
        holds = stands or (has_card and not late)
        why_not = Off(f"You hold no traitor card of {name}.", "TRAITOR-01")
        if late:
            why_not = Off(f"You had passed before you drew {name}.", "NEXUS-HARK-21")
        off = {} if holds else {"call": why_not}
        variants = {"pass": Fields({})} | ({"call": Fields({})} if holds else {})
        opponent = facts.name(self.clash.opponent(side))
        return offer(
            caller,
            "traitor_call",
            f"{opponent} fights {facts.name(side)} with {name}. Is {name} a traitor in your pay?",
            Variant(variants, {"pass": "Do not call", "call": label}, off),
            default={"do": "pass"},
            about={"leader": leader, "side": side, "territory": self.clash.territory},
            rules=("TRAITOR-01", "TRAITOR-02"),
            clock="window",
            window=True,
        )


def has_called(stack: tuple[Frame, ...], seat: Faction) -> bool:
    """Whether a seat has sealed a call while others are still asked: private to that seat. [TRAITOR-02]"""
    answers = (frame.answers.get(seat) for frame in stack if isinstance(frame.flow, TraitorCalls))
    return any(answer is not None and answer["do"] == "call" for answer in answers)


def had_no_call(stack: tuple[Frame, ...], seat: Faction) -> bool:
    """Whether a seat has passed while it held no card to call with: private to that seat. [NEXUS-HARK-21]"""
    return any(
        seat in frame.answers and asked.seat == seat and "call" not in asked.choice.variants
        for frame in stack
        if isinstance(frame.flow, TraitorCalls)
        for asked in frame.asked
        if isinstance(asked.choice, Variant)
    )
