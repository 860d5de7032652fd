"""Shipment and Movement: one turn of action for each player, in storm order. [SHIP-01]

A later rule that lets somebody act out of order is a guest of `shipment.boundary` (it may run a `TurnOfAction`) and
of `shipment.place` (it may put its seat into the mark `phase.delayed`).
"""

from __future__ import annotations

from services.rules.engine.flow import Flow, Next
from services.rules.engine.moments import Moment
from services.rules.engine.play import Play
from services.rules.phases.course import phase
from services.rules.phases.movement import Moving
from services.rules.phases.separation import separate
from services.rules.phases.shipment_flow import Shipping
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Table

__all__ = ["ACTED", "DELAYED", "ShipmentPhase", "TurnOfAction", "next_to_act", "others_waiting"]

ACTED = "phase.acted"
"""Public mark: who has had its turn of action in this phase."""
DELAYED = "phase.delayed"
"""Public mark: who lets its place in storm order pass and acts when the others are done."""


@phase("shipment")
class ShipmentPhase(Flow, tag="shipment", frozen=True, omit_defaults=True):
    """One Shipment and Movement Phase; `seat` is the player whose place has come. [SHIP-01, SHIP-03]"""

    seat: Faction = ""

    def start(self, play: Play, result: Json = None) -> Next:
        """A clean boundary between two players. [SHIP-01]"""
        if not _waiting(play.table):
            return self.done()
        return self.call(Moment("shipment.boundary"), then="next_player")

    def next_player(self, play: Play, result: Json) -> Next:
        """The place of the next player in storm order; who delays comes when all others are done."""
        seat = next_to_act(play.table)
        if seat is None:
            return self.done()
        return self.replace(seat=seat).call(Moment("shipment.place", seat), then="take_turn")

    def take_turn(self, play: Play, result: Json) -> Next:
        """The player acts, unless it has just acted or now lets others go first."""
        waiting, delayed = _waiting(play.table), play.table.names(DELAYED)
        if self.seat not in waiting or (self.seat in delayed and any(s not in delayed for s in waiting)):
            return self.goto("start")
        return self.call(TurnOfAction(self.seat), then="start")


class TurnOfAction(Flow, tag="shipment.turn", frozen=True, omit_defaults=True):
    """One player ships, then moves, then parts from its ally. [SHIP-01, SHIP-02, MOVE-20, MOVE-21]"""

    faction: Faction

    def start(self, play: Play) -> Next:
        """Shipment first: after moving nobody ships. [SHIP-02]"""
        return self.call(Shipping(self.faction), then="shipped")

    def shipped(self, play: Play, result: Json) -> Next:
        """Then movement, until the player ends its turn."""
        return self.call(Moving(self.faction), then="moved")

    def moved(self, play: Play, result: Json) -> Next:
        """Allied forces part; the next player acts. [REACT-53]"""
        acted = play.table.names(ACTED)
        separate(play, self.faction, acted)
        play.set_public(ACTED, (*acted, self.faction))
        return self.call(Moment("shipment.acted", self.faction), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """The turn of action is over."""
        return self.done()


def next_to_act(table: Table) -> Faction | None:
    """Whose place in storm order is next: whoever delays comes when all others are done; None if all have acted."""
    waiting, delayed = _waiting(table), table.names(DELAYED)
    return next((seat for seat in waiting if seat not in delayed), waiting[0] if waiting else None)


def others_waiting(table: Table, faction: Faction) -> bool:
    """Whether somebody else has still to act, so that waiting means something."""
    return any(seat != faction for seat in _waiting(table))


def _waiting(table: Table) -> tuple[Faction, ...]:
    """Who has not acted yet, in storm order. [SHIP-01]"""
    acted = table.names(ACTED)
    return tuple(seat for seat in table.order if seat not in acted)
