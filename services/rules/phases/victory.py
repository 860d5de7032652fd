"""Who has won: strongholds after each turn, and the ways to win when the last turn is over. [MENTAT-03..MENTAT-16]

A victory is a quote whose value is 1 once somebody has won, with the winners and the way in its fields. Whoever adds a
way to win contributes to `TurnVictory` or `LastTurnVictory`; the first contribution in order that finds winners
settles it. `Verdict` is asked last: it may give the victory to somebody else instead. Nothing here opens a
window: no victory can be cancelled. [KARAMA-10]
"""

from __future__ import annotations

from typing import TypeVar

from services.rules.engine.hooks import Quote, contributes, quote
from services.rules.engine.rulings import ruling
from services.rules.phases.duel import is_duel
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.table import Table

__all__ = [
    "LastTurnVictory",
    "StrongholdsNeeded",
    "TurnVictory",
    "Verdict",
    "Victory",
    "count_strongholds",
    "counted_strongholds",
    "parties",
    "strongholds_needed",
    "verdict",
    "with_ally",
]

V = TypeVar("V", bound="Victory")
BOTH = "both"


class Victory(Quote, frozen=True, kw_only=True):
    """Whether somebody has won. `predictable`: whether a prediction may come true by it. [MENTAT-10, MENTAT-11]"""

    winners: tuple[Faction, ...] = ()
    way: str = ""
    predictable: bool = True

    def won(
        self: V, winners: tuple[Faction, ...], way: str, text: str, rule: str, *, predictable: bool = True
    ) -> V:
        """The victory of these factions."""
        return self.step(1, text, rule, winners=winners, way=way, predictable=predictable)


class TurnVictory(Victory, frozen=True, kw_only=True):
    """Who wins at the end of any turn. [MENTAT-05, MENTAT-06]"""


class LastTurnVictory(Victory, frozen=True, kw_only=True):
    """Who wins after the last turn, when nobody has by strongholds. [MENTAT-12..MENTAT-15]"""


class Verdict(Victory, frozen=True, kw_only=True):
    """The final word on a victory: a prediction may turn it. `prophet` is who made it, `predicted` whom. [MENTAT-09]"""

    prophet: Faction = ""
    predicted: Faction = ""


class StrongholdsNeeded(Quote, frozen=True, kw_only=True):
    """How many strongholds a party (one faction, or two allies) needs to win. [MENTAT-05, MENTAT-06, MENTAT-07]"""

    party: tuple[Faction, ...]


def parties(table: Table) -> tuple[tuple[Faction, ...], ...]:
    """Every unallied faction and every pair of allies, by their earliest member in storm order. [MENTAT-08]"""
    found: list[tuple[Faction, ...]] = []
    for faction in table.order or table.seats:
        if not any(faction in party for party in found):
            found.append(with_ally(table, faction))
    return tuple(found)


def with_ally(table: Table, faction: Faction) -> tuple[Faction, ...]:
    """A faction and its ally, if it has one. [ALLY-01]"""
    ally = table.ally_of(faction)
    return (faction, ally) if ally else (faction,)


def counted_strongholds(table: Table, party: tuple[Faction, ...]) -> tuple[str, ...]:
    """The strongholds that count for a party: occupied by one of its members alone. [MENTAT-03, MENTAT-04, ALLY-01]"""
    both = ruling(table, "contested_stronghold") == BOTH
    found: list[str] = []
    for territory in facts.victory_strongholds():
        there = table.occupants_of(territory)
        if (len(there) == 1 or both) and any(faction in there for faction in party):
            found.append(territory)
    return tuple(found)


def count_strongholds(table: Table, party: tuple[Faction, ...]) -> int:
    """How many strongholds count for a party. [MENTAT-03, MENTAT-04, ALLY-01]"""
    return len(counted_strongholds(table, party))


def strongholds_needed(table: Table, party: tuple[Faction, ...]) -> StrongholdsNeeded:
    """How many strongholds a party needs, and why. [MENTAT-05, MENTAT-06, MENTAT-07]"""
    base = StrongholdsNeeded(party=party)
    if len(party) == 1:
        base = base.step(3, "A player alone needs three strongholds", "MENTAT-05")
    else:
        base = base.step(4, "Two allies need four strongholds", "MENTAT-06")
    if is_duel(table):
        base = base.step(4, "In a game of two, four strongholds are needed", "MENTAT-07")
    return quote(table, base)


@contributes(TurnVictory, rule="MENTAT-05", order=50)
def by_strongholds(victory: TurnVictory, table: Table) -> TurnVictory:
    """Enough strongholds win; of several the first in storm order. [MENTAT-05, MENTAT-06, MENTAT-08]"""
    found = [p for p in parties(table) if count_strongholds(table, p) >= strongholds_needed(table, p).value]
    if not found or victory.value:
        return victory
    shared = ruling(table, "several_winners") == "shared"
    winners = tuple(faction for party in (found if shared else found[:1]) for faction in party)
    return victory.won(winners, "strongholds", "Enough strongholds are held", "MENTAT-05")


@contributes(LastTurnVictory, rule="MENTAT-15", order=90)
def by_most_strongholds(victory: LastTurnVictory, table: Table) -> LastTurnVictory:
    """Nobody else won after the last turn: most strongholds do, equals share by default. [MENTAT-15, MENTAT-16]"""
    if victory.value:
        return victory
    together = ruling(table, "final_count") == "alliance_together"
    rivals = parties(table) if together else tuple((faction,) for faction in table.order or table.seats)
    counts = {party: count_strongholds(table, party) for party in rivals}
    best = [party for party in rivals if counts[party] == max(counts.values())]
    if ruling(table, "final_tie") == "first_in_storm_order":
        best = best[:1]
    winners: list[Faction] = []
    for faction in (f for party in best for member in party for f in with_ally(table, member)):
        if faction not in winners:
            winners.append(faction)
    predictable = ruling(table, "prediction_on_most") == "on"
    text = "Most strongholds after the last turn"
    return victory.won(tuple(winners), "most_strongholds", text, "MENTAT-15", predictable=predictable)


def verdict(table: Table, *, last: bool) -> Verdict | None:
    """Who has won at the end of this turn, and why; None if the game goes on. [MENTAT-05..MENTAT-17]"""
    found: Victory = quote(table, TurnVictory())
    if not found.value and last:
        found = quote(table, LastTurnVictory())
    if not found.value:
        return None
    return quote(
        table,
        Verdict(
            value=1, lines=found.lines, winners=found.winners, way=found.way, predictable=found.predictable
        ),
    )
