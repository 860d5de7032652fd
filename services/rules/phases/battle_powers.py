"""Powers at work in a battle that others may cancel until the plans are made. [REACT-61]

They are named by public facts alone: that elite forces take part, or that a side could have a special leader.
"""

from __future__ import annotations

import msgspec

from services.rules.engine.cancel import cancelled_mark
from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import Quote, quote
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.windows import Subject, Window
from services.rules.phases.battle_grounds import Clash
from services.rules.phases.battle_plan import clash_now
from shared.dune import facts
from shared.dune.events.battle import PlanSealed
from shared.dune.events.cards import PowerCancelled
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Table

__all__ = [
    "POWER",
    "WINDOW",
    "BattlePowers",
    "cancel_power",
    "cancelled_powers",
    "lift_cancelled",
    "owner_of",
    "powers_of",
]

WINDOW = "battle.powers"
POWER = "power."
"""How the subject of the window names a power; what follows is its Karama name."""
OFF = "battle.off"
"""Public mark: the powers that were cancelled in this battle. [KARAMA-02]"""
ONCE = "battle.off_once"
"""Public mark: those of them that work again after the battle, whatever a ruling says of cancelled powers."""


class BattlePowers(Quote, frozen=True, kw_only=True):
    """The powers at work in a battle by their Karama names, each with what it does. [REACT-61]"""

    clash: Clash
    powers: dict[str, str] = {}

    def add(self, name: str, text: str) -> BattlePowers:
        """The quote with one more power."""
        return msgspec.structs.replace(self, powers={**self.powers, name: text})


def owner_of(power: str) -> Faction:
    """Whose power it is: the first part of its Karama name."""
    return power.partition(".")[0]


def powers_of(table: Table, clash: Clash) -> dict[str, str]:
    """The powers at work in a battle that nobody has cancelled."""
    found = quote(table, BattlePowers(clash=clash)).powers
    return {name: text for name, text in found.items() if not table.is_set(cancelled_mark(name))}


@at("battle.before_plans", rule="REACT-61", order=40, modes=("advanced",))
def ask_before_plans(table: Table, subject: Json) -> Flow | None:
    """After Voice and Prescience, before the plans."""
    clash = clash_now(table)
    return AskPowers(clash) if clash is not None and powers_of(table, clash) else None


class AskPowers(Flow, tag="battle.powers", frozen=True, omit_defaults=True):
    """One question for all powers of the battle; put again after each that was cancelled. [REACT-61, WINPOL-19]"""

    clash: Clash

    def start(self, play: Play) -> Next:
        """Name them all."""
        named: dict[str, str | int] = {
            POWER + name: text for name, text in powers_of(play.table, self.clash).items()
        }
        text = f"Battle in {facts.name(self.clash.territory)}: the plans are about to be made."
        subject = Subject("battle", "", text, {"territory": self.clash.territory, **named})
        return self.call(Window(WINDOW, subject), then="over")

    def over(self, play: Play, outcome: Json) -> Next:
        """What was cancelled is remembered."""
        return self.done()


def cancel_power(play: Play, power: str, text: str, by: Faction, *, once: bool = False) -> None:
    """A power is off in this battle; if its owner has committed its plan, it makes that plan again.

    `once`: in this battle alone, also where a ruling keeps off for the phase what was cancelled.
    [EMP-22, FRE-45, FRE-46, ATR-38, REACT-61]
    """
    owner = owner_of(power)
    play.emit(PowerCancelled(power, owner, by, f"{text}."))
    play.set_public(cancelled_mark(power), by)
    play.set_public(OFF, (*play.table.names(OFF), power))
    if once:
        play.set_public(ONCE, (*play.table.names(ONCE), power))
    if play.table.names(f"battle.aside.{owner}") or play.table.spice_of(f"escrow.{owner}"):
        play.emit(PlanSealed(owner, 0))


def cancelled_powers(table: Table, owner: Faction) -> list[str]:
    """The powers of a faction that were cancelled for the battle being fought."""
    return [power for power in table.names(OFF) if owner_of(power) == owner]


def lift_cancelled(play: Play) -> None:
    """After the battle they work again, unless the ruling says for the whole phase. [KARAMA-02]"""
    lasting = play.ruling("karama_scope") == "whole_phase"
    for power in play.table.names(ONCE if lasting else OFF):
        play.clear(cancelled_mark(power))
