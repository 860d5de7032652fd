"""Losses of a battle. [BATTLE-41, BATTLE-53, BATTLE-56, BATTLE-65]"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.phases.battle_grounds import Clash, fighters_at
from services.rules.phases.battle_quotes import Plan
from services.rules.phases.battle_strength import loss_sets, ranks_of
from services.rules.phases.battle_support import support_of
from shared.dune import facts
from shared.dune.events.forces import ForcesKilled
from shared.dune.offers import Choice
from shared.dune.settings import Faction
from shared.dune.shapes import Amounts, Fields, Json, Variant
from shared.dune.table import Kinds, Table

__all__ = ["ChooseForces", "Chosen", "lose", "lose_all", "sets_of"]

Chosen: TypeAlias = dict[str, Kinds]
"""Forces by the location that they come from and their kind."""


def lose_all(play: Play, side: Faction, places: tuple[str, ...]) -> None:
    """All forces of a side that took part are killed; those that did not stay.

    [BATTLE-53, BATTLE-62, TRAITOR-05]
    """
    for place in places:
        if kinds := fighters_at(play.table, place, side):
            play.emit(ForcesKilled(side, kinds, place, "battle"))


def sets_of(table: Table, clash: Clash, side: Faction, plan: Plan) -> tuple[Kinds, ...]:
    """The sets of forces that the winner may lose: those that fit its dial and its spice. [BATTLE-41, BATTLE-56]"""
    dial = plan["dial"]
    assert isinstance(dial, int)
    return loss_sets(ranks_of(table, clash, side), dial, support_of(plan))


def lose(play: Play, side: Faction, chosen: Chosen) -> None:
    """Forces that were dialed go to the tanks, one sector after another. [BATTLE-56]"""
    for place, kinds in chosen.items():
        play.emit(ForcesKilled(side, kinds, place, "battle"))


class ChooseForces(Flow, tag="battle.losses", frozen=True, omit_defaults=True):
    """Which forces made up a side's dial: one of several sets, and from which sectors. Result: `Chosen`.

    The winner loses them. `kind` and `why`: the question, where it is put for another reason.
    [BATTLE-41, BATTLE-56, BATTLE-65, REACT-65]
    """

    blocks_interrupts: ClassVar[bool] = True

    faction: Faction
    places: tuple[str, ...]
    sets: tuple[Kinds, ...]
    kind: str = "battle_losses"
    why: str = ""

    def start(self, play: Play) -> Next:
        """Ask, if there is something to choose; the dearest set comes last. [BATTLE-41]"""
        held = {place: fighters_at(play.table, place, self.faction) for place in self.places}
        choice = _by_sector(held, self.sets[0]) if _is_plain(held) else _by_kind(held, self.sets)
        first = _default(play.table, held, self.sets[0])
        made = offer(
            self.faction,
            self.kind,
            self.why or _why(self.sets),
            choice,
            default={"losses": first.get("regular", {})}
            if _is_plain(held)
            else {"do": _key(self.sets[0]), **first},
            rules=("BATTLE-56", "BATTLE-65"),
        )
        return self.ask([made], then="chosen")

    def chosen(self, play: Play, answers: Answers) -> Next:
        """By place."""
        answer = answers[self.faction]
        dialed = {"regular": answer["losses"]} if "losses" in answer else answer
        found: Chosen = {}
        for place in self.places:
            kinds = {
                kind: where[place] for kind, where in dialed.items() if kind != "do" and where.get(place)
            }
            if kinds:
                found[place] = kinds
        return self.done(found)


def _is_plain(held: dict[str, Kinds]) -> bool:
    """Whether all forces that took part are ordinary ones, so that only the sectors are to be chosen."""
    return all(kind == "regular" for kinds in held.values() for kind in kinds)


def _why(sets: tuple[Kinds, ...]) -> str:
    if len(sets) > 1:
        return "You won: choose which forces you lose, such that they fit your dial and your spice."
    number = facts.counted(sum(sets[0].values()), "force")
    return f"You won and lose {number}: choose the sectors they come from."


def _by_sector(held: dict[str, Kinds], lost: Kinds) -> Fields:
    """One set of ordinary forces: from which sectors. [BATTLE-65]"""
    return Fields({"losses": _sectors(held, "regular", sum(lost.values()))}, labels={"losses": "Losses"})


def _by_kind(held: dict[str, Kinds], sets: tuple[Kinds, ...]) -> Choice:
    """Which set, and of each kind from which sectors. [BATTLE-41, BATTLE-65]"""
    return Variant(
        {
            _key(lost): Fields({kind: _sectors(held, kind, number) for kind, number in lost.items()})
            for lost in sets
        },
        {_key(lost): _label(lost) for lost in sets},
    )


def _sectors(held: dict[str, Kinds], kind: str, number: int) -> Amounts:
    keys = {place: kinds[kind] for place, kinds in held.items() if kinds.get(kind)}
    return Amounts(keys, number, number, {place: facts.name(place) for place in keys}, rule="BATTLE-56")


def _key(lost: Kinds) -> str:
    """How an answer names a set: `2_regular_1_sardaukar`, or `nothing`."""
    return "_".join(f"{number}_{kind}" for kind, number in sorted(lost.items())) or "nothing"


def _label(lost: Kinds) -> str:
    words = [
        facts.counted(number, "force") if kind == "regular" else f"{number} {facts.name(kind)}"
        for kind, number in sorted(lost.items())
    ]
    return " and ".join(words) or "Nothing"


def _default(table: Table, held: dict[str, Kinds], lost: Kinds) -> dict[str, Json]:
    """Sectors without spice first. [BATTLE-65]"""
    found: dict[str, Json] = {kind: {} for kind in lost}
    for kind, number in lost.items():
        for place in sorted(held, key=lambda place: table.spice_of(place) > 0):
            taken = min(held[place].get(kind, 0), number - sum(found[kind].values()))
            if taken:
                found[kind][place] = taken
    return found
