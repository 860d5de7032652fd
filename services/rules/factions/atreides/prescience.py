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
from services.rules.phases.battle_shown import ELEMENTS, ShowElement
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
    """One use of Prescience: declared, perhaps cancelled, answered. [REACT-57, REACT-58, REACT-59]"""

    clash: Clash
    target: Faction
    element: str = ""

    def start(self, play: Play) -> Next:
        """Which element, if any."""
        options = tuple(Option(element, element.capitalize()) for element in ELEMENTS)
        fields = {
            "none": Fields({}),
            "ask": Fields({"element": OneOf(options)}, labels={"element": "Element"}),
        }
        target = facts.name(self.target)
        labels = {"none": "Do not use Prescience", "ask": f"Ask {target} for one element"}
        made = offer(
            NAME,
            "prescience",
            f"Battle in {facts.name(self.clash.territory)}: you may ask {target} for one element of its plan.",
            Variant(fields, labels),
            default={"do": "none"},
            about={"target": self.target, "territory": self.clash.territory},
            rules=("ATR-08", "ATR-11"),
        )
        return self.ask([made], then="asked")

    def asked(self, play: Play, answers: Answers) -> Next:
        """The element is public, and the use may be cancelled before it is answered. [ATR-37]"""
        answer = answers[NAME]
        if answer["do"] == "none":
            return self.done(None)
        play.emit(ElementAsked(NAME, self.target, answer["element"]))
        text = f"Atreides asks {facts.name(self.target)} for its {answer['element']} by Prescience."
        window = cancel_window(PRESCIENCE, NAME, text, target=self.target, element=answer["element"])
        return self.replace(element=answer["element"]).call(window, then="stands")

    def stands(self, play: Play, outcome: Json) -> Next:
        """Cancelled: no element may be asked in this battle. [ATR-37]"""
        if outcome is not None:
            return self.done(None)
        return self.call(ShowElement(NAME, self.target, self.element, self.clash), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """Seen."""
        return self.done(None)
