"""Weather Control: its player says how far the storm moves. [WEATHER]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.cards.playing import discard
from services.rules.engine.flow import Flow
from services.rules.engine.play import Play
from services.rules.engine.windows import Reaction, Subject, react
from services.rules.phases.hands import cards_of, may_hold
from shared.dune.events.storm import StormDistanceSet
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Number, Off
from shared.dune.table import Table

CARD = "weather_control"


@react
class WeatherControl(Reaction):
    """In the storm-card window a holder sets the movement to 0 to 10 sectors. [WEATHER-01, WEATHER-03, WEATHER-05]"""

    name: ClassVar[str] = CARD
    kinds: ClassVar[tuple[str, ...]] = ("storm.card",)
    rule: ClassVar[str] = "WEATHER-01"
    label: ClassVar[str] = "Set the storm's movement with Weather Control"

    def possible(self, table: Table, seat: Faction, kind: str, subject: Subject) -> bool:
        """Everybody, as long as the card may be in a hand. [WINPOL-01, REACT-06]"""
        return may_hold(table, seat, CARD)

    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Only a holder can."""
        if not cards_of(table, seat, CARD):
            return Off("You do not hold Weather Control.", self.rule)
        return Fields({"sectors": Number(0, 10, "sectors", self.rule)}, labels={"sectors": "Sectors"})

    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The number replaces any other; the wheels stay with whoever holds them. [WEATHER-02, WEATHER-06]"""
        discard(play, seat, CARD, "sets the storm's movement")
        play.emit(StormDistanceSet(answer["sectors"]))
        return None
