"""Cunning and Secret Ally of the Harkonnen card: traitors exchanged with the deck. [NEXUS-HARK-11..NEXUS-HARK-25]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.play import Play
from services.rules.modules.nexus.harkonnen.deck import ExchangeTraitors, why_no_exchange
from services.rules.modules.nexus.holding import Mode
from services.rules.modules.nexus.plays import NexusPlay, nexus_play
from services.rules.phases.battle_traitors import CALLED, UNHELD, had_no_call, has_called
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off
from shared.dune.table import Table

POWER = "nexus.harkonnen.cunning"
"""Karama name: the exchange, where a ruling lets it be cancelled. [NEXUS-HARK-22]"""


@nexus_play
class HarkonnenCunning(NexusPlay):
    """One traitor drawn, one given back, whenever Harkonnen like. [NEXUS-HARK-11, NEXUS-87]"""

    name: ClassVar[str] = "harkonnen_cunning"
    native: ClassVar[Faction] = "harkonnen"
    mode: ClassVar[Mode] = "cunning"
    rule: ClassVar[str] = "NEXUS-HARK-11"
    label: ClassVar[str] = "Draw a traitor, then give one back"
    text: ClassVar[str] = "exchanges a traitor with the deck."

    def fields(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """At every safe point: a standing action is there at no other. [NEXUS-HARK-11, NEXUS-HARK-19]"""
        return why_no_exchange(table, 1) or Fields({})

    def remembers(self, stack: tuple[Frame, ...], seat: Faction) -> dict[str, Json]:
        """A call that was made stands, and a pass without the card, whatever the hand becomes. [NEXUS-HARK-21]"""
        return {"called": has_called(stack, seat), "unheld": had_no_call(stack, seat)}

    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow | None:
        """Draw one, give one back; by ruling others may cancel that first. [NEXUS-HARK-22]"""
        for name, holds in ((CALLED, answer["called"]), (UNHELD, answer["unheld"])):
            if holds:
                play.set_secret(f"{name}{seat}", True, seat)
        cancellable = play.ruling("nexus.hark.cunning_karama") == "cancellable"
        return ExchangeUnlessCancelled(seat) if cancellable else ExchangeTraitors(seat, 1)


class ExchangeUnlessCancelled(Flow, tag="nexus.harkonnen_cunning", frozen=True, omit_defaults=True):
    """Own response before anything is drawn; the card stays spent. [NEXUS-84, NEXUS-HARK-22]"""

    seat: Faction

    def start(self, play: Play) -> Next:
        """Nobody has seen a traitor yet."""
        text = f"{facts.name(self.seat)} is about to exchange a traitor with the deck, with its Nexus card."
        return self.call(cancel_window(POWER, self.seat, text), then="answered")

    def answered(self, play: Play, outcome: Json) -> Next:
        """Cancelled, nothing is drawn and nothing owed."""
        if outcome is not None:
            return self.done()
        return self.call(ExchangeTraitors(self.seat, 1), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """What was interrupted goes on."""
        return self.done()


@nexus_play
class HarkonnenSecretAlly(NexusPlay):
    """Two traitors drawn, two given back, in the Mentat Pause. [NEXUS-HARK-12]"""

    name: ClassVar[str] = "harkonnen_secret_ally"
    native: ClassVar[Faction] = "harkonnen"
    mode: ClassVar[Mode] = "secret_ally"
    rule: ClassVar[str] = "NEXUS-HARK-12"
    label: ClassVar[str] = "Draw two traitors, then give two back"
    text: ClassVar[str] = "exchanges two traitors with the deck."

    def fields(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """Only in the Mentat Pause. [NEXUS-HARK-12]"""
        if table.phase != "mentat":
            return Off("Only in the Mentat Pause.", "NEXUS-HARK-12")
        return why_no_exchange(table, 2) or Fields({})

    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow | None:
        """Draw two, give two back."""
        return ExchangeTraitors(seat, 2)
