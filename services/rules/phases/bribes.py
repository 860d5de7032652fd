"""Bribes: spice paid openly to a player who is no ally. [DEAL-06..DEAL-10]"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.standing import StandingAction, standing
from services.rules.phases.promises import available_spice
from shared.dune import facts
from shared.dune.events.deals import BribePaid
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Number, OneOf, Option, Shape, Text
from shared.dune.table import Table

__all__ = ["may_bribe", "pay_bribe", "strangers"]


def may_bribe(table: Table) -> bool:
    """Whether bribes are possible now: not in the Mentat Pause, nor where a ruling bars them. [DEAL-08, DEAL-10]"""
    barred = not table.is_advanced() and ruling(table, "bribes_in_basic") == "off"
    return table.phase not in ("setup", "mentat") and not barred


def strangers(table: Table, seat: Faction) -> tuple[Faction, ...]:
    """Everybody else but the ally: between allies there are no bribes. [ALLY-03, ALLY-04]"""
    ally = table.ally_of(seat)
    return tuple(other for other in table.seats if other not in (seat, ally))


def pay_bribe(play: Play, payer: Faction, to: Faction, amount: int, text: str) -> None:
    """Pay at once; the spice lies before the receiver's shield until the Mentat Pause. [DEAL-06, DEAL-07]"""
    holder = to if play.ruling("bribes_immediate") == "on" else f"bribe.{to}"
    play.emit(BribePaid(payer, to, amount, text, holder))


@lru_cache(maxsize=128)
def _shape(others: tuple[Faction, ...], own: int) -> Fields:
    whom = OneOf(tuple(Option(other, facts.name(other)) for other in others))
    shapes: dict[str, Shape] = {
        "to": whom,
        "amount": Number(1, own, "spice", "DEAL-07"),
        "text": Text(140, "What for"),
    }
    return Fields(shapes, labels={"to": "To", "amount": "Spice", "text": "What for"})


@standing
class Bribe(StandingAction):
    """Pay somebody a bribe, at any time after setup and before the Mentat Pause. [DEAL-01, DEAL-06]"""

    kind: ClassVar[str] = "bribe"
    rule: ClassVar[str] = "DEAL-06"
    why: ClassVar[str] = "Pay another player spice, openly. It is the other's to use after the Mentat Pause."

    def available(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> bool:
        """Whoever has spice, and somebody to bribe. [DEAL-06, DEAL-08]"""
        return bool(available_spice(table, seat) and may_bribe(table) and strangers(table, seat))

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | None:
        """Any amount of one's own usable spice. [DEAL-07]"""
        if not self.available(table, seat, stack):
            return None
        return _shape(strangers(table, seat), available_spice(table, seat))

    def default(self, table: Table, seat: Faction) -> Json:
        """The least that is possible."""
        return {"to": strangers(table, seat)[0], "amount": 1, "text": "A gift."}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Pay it."""
        return PayBribe(seat, answer["to"], answer["amount"], answer["text"])


class PayBribe(Flow, tag="bribe", frozen=True, omit_defaults=True):
    """One bribe. [DEAL-06]"""

    payer: Faction
    to: Faction
    amount: int
    text: str

    def start(self, play: Play) -> Next:
        """Openly and at once."""
        pay_bribe(play, self.payer, self.to, self.amount, self.text)
        return self.done()
