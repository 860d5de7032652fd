"""Karama and the powers at work in a battle, until its plans are committed. [REACT-61]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.cards.karama import KARAMA, spend
from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.play import Play
from services.rules.engine.standing import StandingAction, standing
from services.rules.engine.windows import Reaction, Subject, react
from services.rules.phases.battle_plan import PLAN, clash_now
from services.rules.phases.battle_powers import POWER, WINDOW, cancel_power, owner_of, powers_of
from services.rules.phases.hands import cards_of, may_hold
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, OneOf, Option
from shared.dune.table import Table

ADVANCED = ("advanced",)


def _choice(powers: dict[str, str]) -> Fields:
    options = tuple(Option(power, text) for power, text in powers.items())
    return Fields({"power": OneOf(options)}, labels={"power": "Power"})


def _spend(play: Play, seat: Faction, power: str, text: str) -> None:
    spend(play, seat, f"cancels a power of {facts.name(owner_of(power))}")
    cancel_power(play, power, text, seat)


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
        return bool(_named(table, seat, subject)) and may_hold(table, seat, KARAMA)

    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Which power; only for a holder."""
        if not cards_of(table, seat, KARAMA):
            return Off("You hold no Karama.", "KARAMA-01")
        return _choice(_named(table, seat, subject))

    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The card is spent, the power is off."""
        power = answer["power"]
        _spend(play, seat, power, _named(play.table, seat, subject)[power])
        return None

    def reopens(self) -> bool:
        """There may be more powers, and more cards."""
        return True


def _named(table: Table, seat: Faction, subject: Subject) -> dict[str, str]:
    """The powers that a window names, and that a seat may still cancel. [KARAMA-05, WINPOL-11]"""
    clash = clash_now(table)
    left = powers_of(table, clash) if clash is not None else {}
    named = {k.removeprefix(POWER): str(text) for k, text in subject.about.items() if k.startswith(POWER)}
    return {power: named[power] for power in sorted(named) if power in left and owner_of(power) != seat}


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
        if clash is None or not cards_of(table, seat, KARAMA):
            return None
        powers = {name: text for name, text in powers_of(table, clash).items() if owner_of(name) != seat}
        if not powers or not any(offer.kind == PLAN for offer in stack[-1].asked):
            return None
        return _choice(powers)

    def default(self, table: Table, seat: Faction) -> Json:
        """The first of them."""
        clash = clash_now(table)
        assert clash is not None
        return {"power": next(name for name in powers_of(table, clash) if owner_of(name) != seat)}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Cancel it."""
        return CancelPower(seat, answer["power"])


class CancelPower(Flow, tag="karama.battle", frozen=True, omit_defaults=True):
    """One power cancelled in the middle of the planning. [REACT-61]"""

    seat: Faction
    power: str

    def start(self, play: Play) -> Next:
        """Spend the card; the plans are asked for again as they now are."""
        clash = clash_now(play.table)
        assert clash is not None
        _spend(play, self.seat, self.power, powers_of(play.table, clash)[self.power])
        return self.done()
