"""The special Karama of Atreides: a whole battle plan is seen, once a game. [ATR-31..ATR-34, KARAMA-24]"""

from __future__ import annotations

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.factions.atreides import NAME
from services.rules.phases.battle_grounds import Clash
from services.rules.phases.battle_plan import OPENED, clash_now
from services.rules.phases.karama import may_use_special, special_off, use_special
from shared.dune import facts
from shared.dune.shapes import Fields, Json, OneOf, Option, Variant
from shared.dune.table import Table


@at("battle.before_plans", rule="ATR-31", order=30, modes=("advanced",))
def may_see_a_plan(table: Table, subject: Json) -> Flow | None:
    """In any battle, besides Prescience, as long as a true Karama may be held. [ATR-33, ATR-34, REACT-60]"""
    clash = clash_now(table)
    return WholePlan(clash) if clash is not None and may_use_special(table, NAME) else None


class WholePlan(Flow, tag="atreides.whole_plan", frozen=True, omit_defaults=True):
    """Atreides may have one combatant commit its plan first, and see it. [ATR-31, ATR-32, KARAMA-25]"""

    clash: Clash

    def start(self, play: Play) -> Next:
        """It is asked whether or not it holds a Karama. [REACT-60]"""
        sides = OneOf(tuple(Option(side, facts.name(side)) for side in self.clash.sides if side != NAME))
        labels = {"pass": "Do not look", "see": "See a whole plan with Karama, once a game"}
        variants, off = {"pass": Fields({})}, special_off(play.table, NAME)
        if off is None:
            variants["see"] = Fields({"target": sides}, labels={"target": "Whose"})
        made = offer(
            NAME,
            "whole_plan",
            f"Battle in {facts.name(self.clash.territory)}: with a Karama you may see one side's whole plan before the "
            "other is made.",
            Variant(variants, labels, {"see": off} if off else {}),
            default={"do": "pass"},
            about={"territory": self.clash.territory},
            rules=("ATR-31", "ATR-32", "KARAMA-23"),
            window=True,
        )
        return self.ask([made], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """The card is spent, and nothing can cancel it; the target commits first. [ATR-32, KARAMA-25]"""
        if answers[NAME]["do"] == "see":
            use_special(play, NAME, "sees a whole battle plan")
            play.set_public(OPENED, (NAME, answers[NAME]["target"]))
        return self.done()
