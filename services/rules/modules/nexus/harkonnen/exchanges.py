"""Cunning and Secret Ally of the Harkonnen card: traitors exchanged with the deck. [NEXUS-HARK-11..NEXUS-HARK-25]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Frame
from services.rules.engine.play import Play
from services.rules.modules.nexus.harkonnen.deck import ExchangeTraitors, in_deck
from services.rules.modules.nexus.holding import Mode
from services.rules.modules.nexus.plays import NexusPlay, nexus_play
from services.rules.phases.battle_traitors import CALLED, has_called
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off
from shared.dune.table import Table

SHORT = Off("The traitor deck holds too few cards.", "NEXUS-HARK-06")


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
        return Fields({}) if in_deck(table) else SHORT

    def remembers(self, stack: tuple[Frame, ...], seat: Faction) -> dict[str, Json]:
        """A call that was made stands, whatever is given back. [NEXUS-HARK-21]"""
        return {"called": has_called(stack, seat)}

    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow | None:
        """Draw one, give one back."""
        if answer["called"]:
            play.set_secret(f"{CALLED}{seat}", True, seat)
        return ExchangeTraitors(seat, 1)


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
        return Fields({}) if in_deck(table) > 1 else SHORT

    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow | None:
        """Draw two, give two back."""
        return ExchangeTraitors(seat, 2)
