"""Prescience: Atreides sees one element of the opponent's battle plan. [ATR-08..ATR-12, ATR-29, ATR-30]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window, cancelled_mark
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.factions.atreides import NAME
from services.rules.phases.battle_grounds import Clash
from services.rules.phases.battle_plan import clash_now, lent_to
from services.rules.phases.battle_shown import ELEMENTS, ShowElement, show
from shared.dune import facts
from shared.dune.events.battle import ElementAsked
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, OneOf, Option, Variant
from shared.dune.table import Table

PRESCIENCE = "atreides.prescience"


@at("battle.before_plans", rule="ATR-08", order=20)
def foresee(table: Table, subject: Json) -> Flow | None:
    """In a battle of its own or of its ally, after Voice; one element in a battle.

    [ATR-08, ATR-11, ATR-29, ATR-30, BATTLE-20]
    """
    clash = clash_now(table)
    side = lent_to(table, clash, NAME)
    if clash is None or side is None or table.is_set(cancelled_mark(PRESCIENCE)):
        return None
    return Prescience(clash, clash.opponent(side))


class Prescience(Flow, tag="atreides.prescience", frozen=True, omit_defaults=True):
    """One element of a plan: asked for, perhaps cancelled, answered. [REACT-57, REACT-58, REACT-59]

    `seer` is who asks, as the owner of Prescience or for once by something else (`means`, in words); without a `power`
    it cannot be cancelled. An element that comes with it is asked for at once. `answered` is what a plan that its
    target has committed answers by itself. [BATTLE-21]
    """

    clash: Clash
    target: Faction
    element: str = ""
    seer: Faction = NAME
    power: str = PRESCIENCE
    means: str = "by Prescience"
    answered: str = ""

    def start(self, play: Play) -> Next:
        """Which element, if any."""
        if self.element:
            return self.goto("declare")
        options = tuple(Option(element, element.capitalize()) for element in ELEMENTS)
        fields = {
            "none": Fields({}),
            "ask": Fields({"element": OneOf(options)}, labels={"element": "Element"}),
        }
        target = facts.name(self.target)
        labels = {"none": "Do not use Prescience", "ask": f"Ask {target} for one element"}
        made = offer(
            self.seer,
            "prescience",
            f"Battle in {facts.name(self.clash.territory)}: you may ask {target} for one element of its plan.",
            Variant(fields, labels),
            default={"do": "none"},
            about={"target": self.target, "territory": self.clash.territory},
            rules=("ATR-08", "ATR-11"),
        )
        return self.ask([made], then="asked")

    def asked(self, play: Play, answers: Answers) -> Next:
        """That one, or none."""
        answer = answers[self.seer]
        if answer["do"] == "none":
            return self.done(None)
        return self.replace(element=answer["element"]).goto("declare")

    def declare(self, play: Play) -> Next:
        """The element is public, and the use may be cancelled before it is answered. [ATR-37]"""
        play.emit(ElementAsked(self.seer, self.target, self.element))
        if not self.power:
            return self.goto("answer")
        text = f"{facts.name(self.seer)} asks {facts.name(self.target)} for its {self.element} {self.means}."
        window = cancel_window(self.power, self.seer, text, target=self.target, element=self.element)
        return self.call(window, then="stands")

    def stands(self, play: Play, outcome: Json) -> Next:
        """Cancelled: this element is not answered. [ATR-37]"""
        return self.goto("answer") if outcome is None else self.done(None)

    def answer(self, play: Play) -> Next:
        """Its target answers, or the plan that it has committed. [ATR-09, NEXUS-ATR-30]"""
        if self.answered:
            show(play, self.seer, self.target, self.element, self.answered)
            return self.done(None)
        return self.call(ShowElement(self.seer, self.target, self.element, self.clash), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """Seen."""
        return self.done(None)
