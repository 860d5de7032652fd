"""Tleilaxu Ghola: at any time one own leader, or up to five own forces, return from the tanks free. [GHOLA-01]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.cards.playing import discard
from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.play import Play
from services.rules.engine.standing import StandingAction, standing
from services.rules.phases.battle_plan import committed_plan
from services.rules.phases.hands import cards_of
from services.rules.phases.revival import revive_forces
from services.rules.phases.revival_cycle import all_dead
from services.rules.phases.revival_quotes import revivable_kinds
from shared.dune import facts
from shared.dune.events.pieces import LeaderRevived
from shared.dune.settings import Faction
from shared.dune.shapes import Amounts, Fields, Json, Off, OneOf, Option, Variant
from shared.dune.table import Piece, Table

GHOLA = "tleilaxu_ghola"
MOST = 5


@standing
class PlayGhola(StandingAction):
    """Its holder's control, in every phase after setup. [GHOLA-01, CARD-08, REACT-72]"""

    kind: ClassVar[str] = "ghola"
    rule: ClassVar[str] = "GHOLA-01"
    why: ClassVar[str] = "Tleilaxu Ghola: revive one leader, or up to five forces, free."

    def available(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> bool:
        """Whether the seat holds the card and it would have an effect. [GHOLA-09]"""
        if not cards_of(table, seat, GHOLA):
            return False
        return bool(revivable_kinds(table, seat)) or bool(_open_leaders(table, seat, stack))

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Variant | None:
        """Any own leader in the tanks, or forces; never without effect. [GHOLA-02, GHOLA-09]

        No leader while the seat's own sealed plan is without one: a sealed choice stays. [CARD-08, GHOLA-07]
        """
        if not self.available(table, seat, stack):
            return None
        leaders, kinds = all_dead(table, seat), revivable_kinds(table, seat)
        open_leaders = _open_leaders(table, seat, stack)
        labels = {"leader": "A leader", "forces": "Forces"}
        variants: dict[str, Fields] = {}
        if open_leaders:
            options = tuple(Option(leader, facts.name(leader)) for leader in open_leaders)
            variants["leader"] = Fields({"leader": OneOf(options)})
        if kinds:
            variants["forces"] = Fields({"forces": Amounts(kinds, 1, min(MOST, sum(kinds.values())))})
        none = "You have none in the tanks.", "GHOLA-09"
        why = (
            ("The plan that you committed has no leader.", "CARD-08")
            if leaders and not open_leaders
            else none
        )
        reasons = {"leader": why, "forces": none}
        off = {name: Off(*reasons[name]) for name, label in labels.items() if name not in variants}
        return Variant(variants, labels, off)

    def default(self, table: Table, seat: Faction) -> Json:
        """As many forces of one kind as may return, else a leader."""
        for kind, number in revivable_kinds(table, seat).items():
            return {"do": "forces", "forces": {kind: min(MOST, number)}}
        return {"do": "leader", "leader": all_dead(table, seat)[0]}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Play it."""
        return Ghola(seat, answer.get("forces", {}), answer.get("leader", ""))


def _open_leaders(table: Table, seat: Faction, stack: tuple[Frame, ...]) -> tuple[Piece, ...]:
    """The dead leaders that the card may bring back: none while a sealed plan is without a leader. [CARD-08]"""
    dead = all_dead(table, seat)
    sealed = committed_plan(stack, seat) if dead else None
    return () if sealed is not None and sealed["leader"] is None else dead


class Ghola(Flow, tag="ghola", frozen=True, omit_defaults=True):
    """One Ghola: in addition to all normal revival, whatever its conditions. [GHOLA-02, GHOLA-06, REVIVAL-20]"""

    seat: Faction
    forces: dict[str, int]
    leader: Piece = ""

    def start(self, play: Play) -> Next:
        """The leader joins its pool at once, forces go to reserves. [GHOLA-04, GHOLA-07, GHOLA-10]"""
        discard(play, self.seat, GHOLA, "Tleilaxu Ghola")
        if self.leader:
            play.emit(LeaderRevived(self.leader, self.seat, "Tleilaxu Ghola"))
        revive_forces(play, self.seat, self.forces, "Tleilaxu Ghola")
        return self.done()
