"""Karama and the powers at work in a battle, until its plans are committed. [REACT-61]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.play import Play
from services.rules.engine.standing import StandingAction, standing
from services.rules.engine.windows import VOID, Reaction, Subject, react
from services.rules.phases.battle_plan import clash_now, plans_are_awaited, this_battle
from services.rules.phases.battle_powers import POWER, WINDOW, cancel_power, owner_of, powers_of
from services.rules.phases.karama import (
    karama_cards,
    karama_fields,
    may_hold_karama,
    paid_with,
    pay_karama,
)
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, OneOf, Option, Shape
from shared.dune.table import Table

ADVANCED = ("advanced",)


def _choice(table: Table, seat: Faction, powers: dict[str, str]) -> Fields | Off:
    """Which power, and with which card if different ones serve. [BG-41]"""
    card = karama_fields(table, seat)
    if isinstance(card, Off):
        return card
    which: Shape = OneOf(tuple(Option(power, text) for power, text in powers.items()))
    return Fields({"power": which, **card.fields}, labels={"power": "Power", **card.labels})


def _pay(play: Play, seat: Faction, answer: Json) -> Flow | None:
    reason = f"cancels a power of {facts.name(owner_of(answer['power']))}"
    return pay_karama(play, seat, paid_with(play.table, seat, answer), reason)


@react
class CancelInBattle(Reaction):
    """Cancel one of the powers that are at work in a battle, before its plans are made. [REACT-61]"""

    name: ClassVar[str] = "karama_battle"
    kinds: ClassVar[tuple[str, ...]] = (WINDOW,)
    rule: ClassVar[str] = "KARAMA-04"
    label: ClassVar[str] = "Cancel a power in it with Karama"
    modes: ClassVar[tuple[str, ...]] = ADVANCED

    def possible(self, table: Table, seat: Faction, kind: str, subject: Subject) -> bool:
        """Every seat but the power's owner, the two sides too. [WINPOL-12]"""
        return bool(_named(table, seat, subject)) and may_hold_karama(table, seat)

    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Which power; only for a holder."""
        return _choice(table, seat, _named(table, seat, subject))

    def pay(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The card is spent."""
        return _pay(play, seat, answer)

    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The power is off."""
        power = answer["power"]
        cancel_power(play, power, _named(play.table, seat, subject)[power], seat)
        return None

    def reopens(self) -> bool:
        """There may be more powers, and more cards."""
        return True


def _named(table: Table, seat: Faction, subject: Subject) -> dict[str, str]:
    """The powers that a window names, and that a seat may still cancel. [KARAMA-05, WINPOL-11]"""
    clash = clash_now(table)
    left = powers_of(table, clash) if clash is not None else {}
    named = subject.named(POWER)
    return {power: text for power, text in named.items() if power in left and owner_of(power) != seat}


@standing
class CancelWhilePlanning(StandingAction):
    """The same while the plans are being made: an owner that has committed makes its plan again. [REACT-61]"""

    kind: ClassVar[str] = "battle_karama"
    rule: ClassVar[str] = "KARAMA-04"
    why: ClassVar[str] = "Karama: cancel a power that is at work in this battle."
    modes: ClassVar[tuple[str, ...]] = ADVANCED

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | None:
        """For a holder, as long as a plan is still to come."""
        clash = clash_now(table)
        if clash is None or not karama_cards(table, seat):
            return None
        powers = {name: text for name, text in powers_of(table, clash).items() if owner_of(name) != seat}
        if not powers or not plans_are_awaited(stack):
            return None
        found = _choice(table, seat, powers)
        return None if isinstance(found, Off) else found

    def occasion(self, table: Table, seat: Faction) -> str:
        """This battle: the same power may be at work in the next. [REACT-61, NEXUS-43]"""
        return this_battle(table)

    def default(self, table: Table, seat: Faction) -> Json:
        """The first power, with the first card."""
        clash = clash_now(table)
        assert clash is not None
        powers = {name: text for name, text in powers_of(table, clash).items() if owner_of(name) != seat}
        found = _choice(table, seat, powers)
        assert isinstance(found, Fields)
        return {name: shape.legal()[0] for name, shape in found.fields.items() if isinstance(shape, OneOf)}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Cancel it."""
        return CancelPower(seat, answer)


class CancelPower(Flow, tag="karama.battle", frozen=True, omit_defaults=True):
    """One power cancelled in the middle of the planning. [REACT-61]"""

    seat: Faction
    answer: Json

    def start(self, play: Play) -> Next:
        """Spend the card."""
        payment = _pay(play, self.seat, self.answer)
        return self.call(payment, then="paid") if payment else self.goto("cancel")

    def paid(self, play: Play, result: Json) -> Next:
        """Paid in vain, nothing is cancelled. [BG-47]"""
        return self.done() if result == VOID else self.goto("cancel")

    def cancel(self, play: Play) -> Next:
        """The plans are asked for again as they now are."""
        clash, power = clash_now(play.table), self.answer["power"]
        assert clash is not None
        cancel_power(play, power, powers_of(play.table, clash)[power], self.seat)
        return self.done()
