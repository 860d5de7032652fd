"""The Bene Gesserit prediction. [BG-03, START-05]"""

from __future__ import annotations

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.factions.bene_gesserit import NAME
from shared.dune import facts
from shared.dune.events.setup import PredictionMade
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Number, OneOf, Option
from shared.dune.table import Table


@at("setup", rule="START-05", order=20)
def predict(table: Table, subject: Json) -> Flow | None:
    """Bene Gesserit writes down a faction and a turn before traitors are dealt."""
    return Prediction() if NAME in table.seats else None


class Prediction(Flow, tag="bene_gesserit.prediction", frozen=True, omit_defaults=True):
    """The prediction: another faction in play and a turn. [START-05, BG-03, REACT-01]

    `default` is what silence means: drawn at random before the question is put. [REACT-01]
    """

    default: tuple[Faction, int] = ("", 0)

    def start(self, play: Play) -> Next:
        """Draw the default."""
        drawn = play.chance.choice(_others(play.table)), play.chance.between(1, play.table.settings.last_turn)
        return self.replace(default=drawn).goto("predict")

    def predict(self, play: Play) -> Next:
        """Ask for both."""
        others = _others(play.table)
        shape = Fields(
            {
                "faction": OneOf(tuple(Option(faction, facts.name(faction)) for faction in others)),
                "turn": Number(1, play.table.settings.last_turn, "turn", "START-05"),
            },
            labels={"faction": "Faction", "turn": "Turn"},
        )
        why = "Predict who will win, and in which turn. If it comes true, you win alone instead."
        default = {"faction": self.default[0], "turn": self.default[1]}
        made = offer(NAME, "prediction", why, shape, default=default, rules=("START-05", "BG-03"))
        return self.ask([made], then="predicted")

    def predicted(self, play: Play, answers: Answers) -> Next:
        """Seal it."""
        answer = answers[NAME]
        play.emit(PredictionMade(NAME, answer["faction"], answer["turn"]))
        return self.done()


def _others(table: Table) -> tuple[Faction, ...]:
    return tuple(faction for faction in table.seats if faction != NAME)
