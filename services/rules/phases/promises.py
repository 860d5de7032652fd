"""Promises: how much of its spice a faction lets its ally use for treachery cards and for shipments. [ALLY-05..ALLY-08]

A promise is a maximum, private to the allied pair, set beforehand and changed at will, except while a standing bid
depends on it. It never counts for more than its maker holds, and it ends with the alliance. [BID-16, REACT-29]
"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.hooks import Quote, quote
from services.rules.engine.moments import at
from services.rules.engine.occasions import this_alliance
from services.rules.engine.play import Play
from services.rules.engine.standing import StandingAction, standing
from shared.dune.events.bidding import BIDDER, escrow_of
from shared.dune.events.promises import PromiseMade, promise_mark
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Number, Off, Variant
from shared.dune.table import Table

__all__ = ["CARDS", "SHIPMENTS", "BoundSpice", "available_spice", "promised"]

CARDS, SHIPMENTS = "cards", "shipments"
"""The purposes for which allies may pay; revivals and battle spice are none. [ALLY-05, ALLY-06, ALLY-07]"""
LABELS = {CARDS: "Pay for my ally's treachery cards", SHIPMENTS: "Pay for my ally's shipments"}


class BoundSpice(Quote, frozen=True, kw_only=True):
    """How much of the spice behind its shield a faction must keep, for what it has shown or said it will do with it.

    [ATR-09, TRUTH-06]
    """

    faction: Faction


def available_spice(table: Table, faction: Faction) -> int:
    """What a faction can spend now. Spice sealed for a standing bid lies in escrow and is not part of it.

    Nor is what it must keep. [BID-31, ATR-09]
    """
    bound = quote(table, BoundSpice(faction=faction)).value
    return max(0, table.spice_of(faction) - bound)


def promised(table: Table, payer: Faction, purpose: str) -> int:
    """The most that `payer` pays for its present ally now: never more than it holds, 0 without an ally. [BID-16]"""
    said = table.names(promise_mark(purpose, payer))
    if not said or table.ally_of(payer) != said[0]:
        return 0
    return min(int(said[1]), available_spice(table, payer))


def is_bound(table: Table, payer: Faction, purpose: str) -> bool:
    """Whether a standing bid of the ally is to be paid in part by `payer`, so that its promise is fixed. [BID-16]"""
    bidder = table.ally_of(payer)
    return (
        purpose == CARDS
        and bidder is not None
        and table.value(BIDDER, "") == bidder
        and table.spice_of(escrow_of(payer)) > 0
    )


@standing
class Promise(StandingAction):
    """Say how much the ally may use. [BID-16, ALLY-08, REACT-29, REACT-44]"""

    kind: ClassVar[str] = "promise"
    rule: ClassVar[str] = "BID-16"
    why: ClassVar[str] = "Let your ally use up to this much of your spice, until you say otherwise."

    def available(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> bool:
        """Whoever has an ally."""
        return table.ally_of(seat) is not None

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Variant | None:
        """One amount for each purpose; nothing without an ally."""
        if not self.available(table, seat, stack):
            return None
        amount = Fields({"amount": Number(0, available_spice(table, seat), "spice", "BID-16")})
        off = {
            purpose: Off("Your ally's standing bid depends on your promise.", "BID-16")
            for purpose in LABELS
            if is_bound(table, seat, purpose)
        }
        return Variant({purpose: amount for purpose in LABELS if purpose not in off}, dict(LABELS), off)

    def occasion(self, table: Table, seat: Faction) -> str:
        """This ally, in this turn: an answer names nobody. [BID-16, ALLY-08]"""
        return this_alliance(table, seat)

    def default(self, table: Table, seat: Faction) -> Json:
        """Nothing, for shipments: always legal."""
        return {"do": SHIPMENTS, "amount": 0}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Remember it."""
        return SayPromise(seat, answer["do"], answer["amount"])


class SayPromise(Flow, tag="promise", frozen=True, omit_defaults=True):
    """One promise said. [ALLY-08]"""

    payer: Faction
    purpose: str
    amount: int

    def start(self, play: Play) -> Next:
        """Tell the ally, and nobody else."""
        ally = play.table.ally_of(self.payer)
        if ally is not None:
            play.emit(PromiseMade(self.payer, ally, self.purpose, self.amount))
        return self.done()


@at("alliance.broken", rule="BID-16")
def end_promises(table: Table, subject: Json) -> Flow | None:
    """A promise ends with the alliance in which it was made, even if the same two ally again."""
    return EndPromises(subject[0], subject[1])


class EndPromises(Flow, tag="promise.end", frozen=True, omit_defaults=True):
    """Nothing is promised any more between two who were allies. [BID-16]"""

    one: Faction
    other: Faction

    def start(self, play: Play) -> Next:
        """Both sides' promises, for every purpose."""
        for payer, ally in ((self.one, self.other), (self.other, self.one)):
            for purpose in LABELS:
                if play.table.is_set(promise_mark(purpose, payer)):
                    play.emit(PromiseMade(payer, ally, purpose, 0))
        return self.done()
