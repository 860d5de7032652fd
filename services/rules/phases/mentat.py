"""The Mentat Pause: bribes are taken, anytime cards may be played, and the game may be won. [MENTAT-01..MENTAT-18]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.phases.course import phase
from services.rules.phases.victory import Verdict, count_strongholds, parties, verdict
from shared.dune.events.course import GameEnded
from shared.dune.events.ending import BribesTaken, PredictionFulfilled, StrongholdsCounted
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Variant
from shared.dune.table import Result

__all__ = ["MentatPhase"]

PASS = {"do": "pass"}


@phase("mentat")
class MentatPhase(Flow, tag="mentat", frozen=True, omit_defaults=True):
    """One Mentat Pause."""

    is_boundary: ClassVar[bool] = True

    def start(self, play: Play) -> Next:
        """Everybody takes the spice in front of its shield. [MENTAT-01]"""
        for faction in play.table.seats:
            if amount := play.table.spice_of(f"bribe.{faction}"):
                play.emit(BribesTaken(faction, amount))
        return self.goto("pause")

    def pause(self, play: Play) -> Next:
        """All seats, whatever they hold: anytime cards may be played before the check. [MENTAT-18, SECRET-10]"""
        return self.ask([_pause(seat) for seat in play.table.seats], then="check")

    def check(self, play: Play, answers: Answers) -> Next:
        """Count, and end the game if somebody has won. [MENTAT-05..MENTAT-17]"""
        table = play.table
        counts = {party[0]: count_strongholds(table, party) for party in parties(table)}
        play.emit(
            StrongholdsCounted(counts, {party[0]: ally for party in parties(table) for ally in party[1:]})
        )
        found = verdict(table, last=table.turn >= table.settings.last_turn)
        if found:
            _end(play, found)
        return self.done()


def _pause(seat: Faction) -> Offer:
    return offer(
        seat,
        "mentat_pause",
        "Mentat Pause: cards that may be played at any time may be played now, before victory is checked.",
        Variant({"pass": Fields({})}, {"pass": "Go on"}),
        default=PASS,
        rules=("MENTAT-18",),
        clock="window",
        window=True,
    )


def _end(play: Play, found: Verdict) -> None:
    """Tell who has won; a prediction that came true is shown. [MENTAT-09]"""
    turn = play.table.turn
    if found.prophet:
        play.emit(PredictionFulfilled(found.prophet, found.predicted, turn))
    play.emit(GameEnded(Result(found.winners, found.way, turn)))
