"""The Revival Phase: everybody revives forces and a leader, all at the same time and openly. [REVIVAL-01]

Moment `revival.extra`: what others add to somebody's revival, when all have revived.
"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Frame, Given, Next
from services.rules.engine.moments import Moment
from services.rules.engine.play import Play
from services.rules.phases.course import phase
from services.rules.phases.revival_cycle import note_rights
from services.rules.phases.revival_offer import NO_LEADER, can_revive, revival_offer
from services.rules.phases.revival_quotes import force_price, leader_price
from shared.dune.events.forces import ForcesMoved, SpicePaid
from shared.dune.events.pieces import LeaderRevived
from shared.dune.events.revival import NothingRevived
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import BANK, RESERVES, TANKS

__all__ = ["RevivalPhase", "has_revived", "revival_is_open", "revive_forces"]


def revive_forces(play: Play, faction: Faction, kinds: dict[str, int], reason: str) -> None:
    """Forces go from the tanks to the reserves; nothing happens if there are none. [REVIVAL-06]"""
    chosen = {kind: number for kind, number in kinds.items() if number}
    if chosen:
        play.emit(ForcesMoved(faction, chosen, TANKS, RESERVES, reason))


def revival_is_open(stack: tuple[Frame, ...]) -> bool:
    """Whether the game waits for somebody's ordinary revival: then others may add theirs."""
    return isinstance(stack[-1].flow, RevivalPhase)


def has_revived(stack: tuple[Frame, ...], seat: Faction) -> bool:
    """Whether a seat has done its ordinary revival of this phase."""
    return any(isinstance(f.flow, RevivalPhase) and seat in f.flow.done_by for f in stack)


@phase("revival")
class RevivalPhase(Flow, tag="revival", frozen=True, omit_defaults=True):
    """One Revival Phase. `done_by`: those who have revived."""

    is_boundary: ClassVar[bool] = True

    done_by: tuple[Faction, ...] = ()

    def start(self, play: Play) -> Next:
        """Rights to revive leaders that arose otherwise than by a death are noted. [REVIVAL-12, REVIVAL-13]"""
        note_rights(play)
        return self.goto("choose")

    def choose(self, play: Play) -> Next:
        """Ask everybody who has something to revive, by what all can see. [REACT-30, REVIVAL-01]"""
        asked = [s for s in play.table.seats if s not in self.done_by and can_revive(play.table, s)]
        if not asked:
            return self.goto("extra")
        return self.ask([revival_offer(play.table, seat) for seat in asked], then="chosen", each=True)

    def chosen(self, play: Play, given: Given) -> Next:
        """Each choice is public when made, paid from the player's own spice. [REVIVAL-01, REVIVAL-19, ALLY-07]"""
        seat, answer = given.seat, given.answer
        number = sum(answer["forces"].values())
        if price := force_price(play.table, seat, number).value:
            play.emit(SpicePaid(seat, price, BANK, "revival"))
        revive_forces(play, seat, answer["forces"], "revival")
        if answer["do"] != NO_LEADER:
            play.emit(SpicePaid(seat, leader_price(play.table, seat, answer["do"]).value, BANK, "revival"))
            play.emit(LeaderRevived(answer["do"], seat, "revival"))
        elif not number:
            play.emit(NothingRevived(seat))
        return self.replace(done_by=(*self.done_by, seat)).goto("choose")

    def extra(self, play: Play) -> Next:
        """What others add. [REVIVAL-09]"""
        return self.call(Moment("revival.extra"), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """The phase ends."""
        return self.done()
