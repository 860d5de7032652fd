"""Secret Ally of the Ecaz card: a player asked about traitors. [NEXUS-ECAZ-07..NEXUS-ECAZ-10]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Frame
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.modules.nexus.holding import Mode
from services.rules.modules.nexus.plays import NexusPlay, is_clean, nexus_play
from shared.dune import facts
from shared.dune.events.nexus_cards import TraitorInquiryAnswered
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, OneOf, Option
from shared.dune.table import Table, zone


@nexus_play
class EcazSecretAlly(NexusPlay):
    """Asked of one player, answered at once by what it holds. [NEXUS-ECAZ-07, NEXUS-ECAZ-10]"""

    name: ClassVar[str] = "ecaz_secret_ally"
    native: ClassVar[Faction] = "ecaz"
    mode: ClassVar[Mode] = "secret_ally"
    rule: ClassVar[str] = "NEXUS-ECAZ-07"
    label: ClassVar[str] = "Learn whether a player has any of your leaders as a traitor"
    text: ClassVar[str] = "asks another player for traitors among its leaders."

    def fields(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """Every other player, whatever the answer would be; at a clean boundary. [NEXUS-ECAZ-10, NEXUS-87]"""
        if not is_clean(stack):
            return Off("Only between two ordinary actions of a phase.", "NEXUS-87")
        others = tuple(Option(other, facts.name(other)) for other in table.seats if other != seat)
        return Fields({"player": OneOf(others)}, labels={"player": "Player"})

    def told(self, table: Table, seat: Faction, answer: Json) -> str:
        """Whom it asks is public. [NEXUS-ECAZ-09]"""
        return f"asks {facts.name(answer['player'])} for traitors among its leaders."

    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow | None:
        """Its own printed leaders, dead or captured too; yes or no, no name and no number. [NEXUS-ECAZ-08]"""
        own = {f"traitor:{leader}" for leader in facts.leaders_of(seat)}
        held = zone(play.table, f"traitors.{answer['player']}")
        says = "yes" if own.intersection(held) else "no"
        heard_by = (
            play.table.seats
            if ruling(play.table, "nexus.ecaz.inquiry_audience") == "whole_table"
            else (seat,)
        )
        play.emit(TraitorInquiryAnswered(seat, answer["player"], says, heard_by))
        return None
