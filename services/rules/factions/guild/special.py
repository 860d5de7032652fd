"""The special Karama of the Guild: once a game a shipment is stopped. [GUILD-23..GUILD-26]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow
from services.rules.engine.play import Play
from services.rules.engine.windows import Reaction, Subject, react
from services.rules.factions.guild import NAME
from services.rules.phases.karama import may_use_special, special_off, use_special
from services.rules.phases.shipment_flow import STOPPED, WINDOW
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off
from shared.dune.table import Table


@react
class StopShipment(Reaction):
    """As a shipment from off-planet is declared, before payment, the Guild stops it. [GUILD-25, GUILD-26, REACT-41]"""

    name: ClassVar[str] = "guild_stop"
    kinds: ClassVar[tuple[str, ...]] = (WINDOW,)
    rule: ClassVar[str] = "GUILD-23"
    label: ClassVar[str] = "Discard Karama and stop the shipment"
    modes: ClassVar[tuple[str, ...]] = ("advanced",)

    def possible(self, table: Table, seat: Faction, kind: str, subject: Subject) -> bool:
        """The Guild, once a game; not against itself, reserves on the planet, cross-ships or returns. [GUILD-26]"""
        stoppable = subject.owner != NAME and bool(subject.about.get("off_planet"))
        return seat == NAME and stoppable and may_use_special(table, NAME)

    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Only a holder can."""
        return special_off(table, NAME) or Fields({})

    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """Nothing can cancel it. [KARAMA-25]"""
        use_special(play, NAME, "stops a shipment")
        play.set_public(STOPPED, NAME)
        return None
