"""The course of a game: setup, then turns of nine phases until somebody has won. [GEN-04]"""

from __future__ import annotations

from collections.abc import Callable

from services.rules.engine.flow import Flow, Next
from services.rules.engine.moments import Moment
from services.rules.engine.play import Play
from shared.dune.events.course import PhaseBegan, TurnBegan
from shared.dune.shapes import Json

__all__ = ["PHASES", "GameFlow", "PhaseFlow", "phase", "phase_flow"]

PHASES = (
    "storm",
    "spice_blow",
    "charity",
    "bidding",
    "revival",
    "shipment",
    "battle",
    "collection",
    "mentat",
)
"""The nine phases in order. [GEN-04]"""

_flows: dict[str, Callable[[], Flow]] = {}


def phase(name: str) -> Callable[[type[Flow]], type[Flow]]:
    """Register the flow of a phase; it is made without arguments each time the phase begins."""

    def register(kind: type[Flow]) -> type[Flow]:
        _flows[name] = kind
        return kind

    return register


def phase_flow(name: str) -> Flow:
    """A fresh flow of a phase."""
    return _flows[name]()


class GameFlow(Flow, tag="game", frozen=True, omit_defaults=True):
    """The root of every game: setup, then phase after phase; over when the table has a result.

    `phase` is the phase now being played, by name; empty before the first.
    """

    phase: str = ""

    def start(self, play: Play) -> Next:
        """Set the table up."""
        return self.call(Moment("setup"), then="next_turn")

    def next_turn(self, play: Play, result: Json) -> Next:
        """Advance the turn marker. [MENTAT-17]"""
        play.emit(TurnBegan(play.table.turn + 1))
        return self.replace(phase=PHASES[0]).goto("begin_phase")

    def begin_phase(self, play: Play) -> Next:
        """Play the current phase."""
        play.emit(PhaseBegan(self.phase))
        return self.call(PhaseFlow(self.phase), then="phase_over")

    def phase_over(self, play: Play, result: Json) -> Next:
        """Go on with the next phase, the next turn, or end the game."""
        if play.table.result:
            return self.done()
        following = PHASES.index(self.phase) + 1
        if following == len(PHASES):
            play.clear("turn.")
            play.emit(TurnBegan(play.table.turn + 1))
            following = 0
        return self.replace(phase=PHASES[following]).goto("begin_phase")


class PhaseFlow(Flow, tag="phase", frozen=True, omit_defaults=True):
    """One phase with the moments around it, `<phase>.begins` and `<phase>.ends`; marks `phase.*` last as long as it."""

    name: str

    def start(self, play: Play) -> Next:
        """Whoever has something to do as the phase opens."""
        return self.call(Moment(f"{self.name}.begins"), then="body")

    def body(self, play: Play, result: Json) -> Next:
        """The phase itself."""
        return self.call(phase_flow(self.name), then="ends")

    def ends(self, play: Play, result: Json) -> Next:
        """Whoever has something to do as the phase closes."""
        return self.call(Moment(f"{self.name}.ends"), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """What was remembered for the phase is forgotten, cancelled powers too."""
        play.clear("phase.", "cancelled.")
        return self.done()
