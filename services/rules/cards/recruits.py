"""Recruits: every faction revives more this turn. [E3C-02..E3C-05]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.cards.playing import discard
from services.rules.engine.flow import Flow
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.windows import Reaction, Subject, Window, react
from services.rules.phases.hands import cards_of
from services.rules.phases.revival_quotes import FreeRevival, RevivalLimit
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off
from shared.dune.table import Table, zone

CARD = "recruits"
LIMIT = 7
CALLED = "phase.recruits"
"""Public mark: Recruits was played in this Revival Phase. [E3C-02]"""
WINDOW = "revival.begins"


def _may_be_held(table: Table) -> bool:
    """Whether by public facts somebody could hold it: it is in the deck's cards and lies openly nowhere."""
    in_game = facts.treachery_cards()[CARD].set in table.settings.decks
    seen = (*zone(table, "treachery_discard"), *zone(table, "treachery_removed"))
    return in_game and CARD not in map(facts.face, seen)


@at("revival.begins", rule="E3C-04", order=30)
def before_any_revival(table: Table, subject: Json) -> Flow | None:
    """At the beginning of the phase, whoever holds it. [E3C-04]"""
    if not _may_be_held(table):
        return None
    return Window(WINDOW, Subject("revival", "", "Revival begins: Recruits may be played now."))


@react
class PlayRecruits(Reaction):
    """The holder's play. [E3C-02, E3C-04]"""

    name: ClassVar[str] = CARD
    kinds: ClassVar[tuple[str, ...]] = (WINDOW,)
    rule: ClassVar[str] = "E3C-02"
    label: ClassVar[str] = "Play Recruits: twice the free revival for everybody, up to 7 forces each"

    def possible(self, table: Table, seat: Faction, kind: str, subject: Subject) -> bool:
        """Every seat alike."""
        return True

    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Only a holder can."""
        return Fields({}) if cards_of(table, seat, CARD) else Off("You do not hold Recruits.", self.rule)

    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """For this phase."""
        discard(play, seat, CARD, "Recruits")
        play.set_public(CALLED, True)
        return None


@contributes(FreeRevival, rule="E3C-02", order=90)
def twice_as_many_free(free: FreeRevival, table: Table) -> FreeRevival:
    """After whatever else changes the number. [E3C-02, E3C-03]"""
    return free.step(2 * free.value, "Recruits doubles it", "E3C-02") if table.is_set(CALLED) else free


@contributes(RevivalLimit, rule="E3C-05", order=90)
def up_to_seven(limit: RevivalLimit, table: Table) -> RevivalLimit:
    """It takes the place of a lower limit. [E3C-02, E3C-05]"""
    if not table.is_set(CALLED) or limit.value >= LIMIT:
        return limit
    return limit.step(LIMIT, "Recruits: up to 7 forces", "E3C-05")
