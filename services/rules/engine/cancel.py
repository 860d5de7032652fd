"""Cancelling one use of a power: the window, and what remembers that a power is off. [KARAMA-02..KARAMA-08]

A power has a name (`atreides.prescience`). A flow that is about to use one calls `cancel_window(...)` after the use
is declared and before anything of it takes effect; its result is None (not cancelled) or the outcome's JSON.
"""

from __future__ import annotations

from services.rules.engine.flow import Flow, Next
from services.rules.engine.play import Play
from services.rules.engine.windows import Subject, Window, reactions
from shared.dune.events.cards import PowerCancelled
from shared.dune.settings import Faction
from shared.dune.shapes import Json

__all__ = ["CancelWindow", "cancel_window", "cancelled_mark", "uses_of"]

USE = "use:"
"""A window's subject names by this prefix each of several uses of a power that may be cancelled in it."""


def cancelled_mark(power: str) -> str:
    """The public mark that a power is off for the rest of the phase (contributions with this name are left out)."""
    return f"cancelled.{power}"


def cancel_window(
    power: str, owner: Faction, text: str, *, uses: dict[str, str] | None = None, **about: str | int
) -> CancelWindow:
    """The window in which one declared use of `owner`'s power may be cancelled; `about` holds public details.

    `uses`: where the power is used several times at once, each use with its text; whoever cancels names one of them.
    [WINPOL-19]
    """
    named: dict[str, str | int] = {USE + name: text for name, text in (uses or {}).items()}
    return CancelWindow(power, owner, text, {**about, **named})


def uses_of(subject: Subject) -> dict[str, str]:
    """The uses among which whoever cancels chooses, with their texts; empty where there is one use alone."""
    return subject.named(USE)


class CancelWindow(Flow, tag="cancel_window", frozen=True, omit_defaults=True):
    """Ask every seat but the owner that may hold a card usable as Karama. [WINPOL-12, WINPOL-13]

    Result: None if the use stands, else `{"by": faction, ...}`. With ruling karama_scope `whole_phase` a power that
    was cancelled stays off until the phase ends, without a new question.
    """

    power: str
    owner: Faction
    text: str
    about: dict[str, str | int] = {}

    def start(self, play: Play) -> Next:
        """Open the window, unless the whole phase is cancelled already."""
        if play.table.is_set(cancelled_mark(self.power)):
            return self.done({"by": str(play.table.value(cancelled_mark(self.power)))})
        subject = Subject(self.power, self.owner, self.text, self.about)
        return self.call(Window(f"cancel.{self.power}", subject), then="closed")

    def closed(self, play: Play, outcome: Json) -> Next:
        """Tell what was cancelled."""
        if outcome is None:
            return self.done(None)
        play.emit(PowerCancelled(self.power, self.owner, outcome["by"], self.text))
        lasts = reactions()[outcome["name"]].cancels_for_phase
        if lasts and play.ruling("karama_scope") == "whole_phase":
            play.set_public(cancelled_mark(self.power), outcome["by"])
        return self.done(outcome)
