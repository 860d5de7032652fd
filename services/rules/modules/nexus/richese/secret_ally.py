"""Secret Ally of the Richese card: up to five forces shipped at the price of one. [NEXUS-RICH-01]"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from services.rules.engine.rulings import ruling
from services.rules.modules.nexus.ways import SecretAllyWays
from services.rules.phases.shipment_aids import way_opening
from services.rules.phases.shipment_quotes import Way
from shared.dune.settings import Faction
from shared.dune.shapes import Off
from shared.dune.table import Table

RULE = "NEXUS-RICH-01"
MOST = 5
TEXT = f"it ships up to {MOST} forces at the price of one."


@way_opening
class FiveAsOne(SecretAllyWays):
    """Instead of one's shipment from reserves. [NEXUS-RICH-01, NEXUS-RICH-03]"""

    name: ClassVar[str] = "nexus_richese"
    rule: ClassVar[str] = RULE
    native: ClassVar[Faction] = "richese"
    effect: ClassVar[str] = "five_as_one"
    text: ClassVar[str] = TEXT

    def off(self, table: Table, seat: Faction) -> Off | None:
        """Not with an ally; by ruling not where the payment could be taken. [NEXUS-26, NEXUS-GUILD-46]"""
        excluded = ruling(table, "nexus.guild.betrayal_producers") == "preview_exclusions"
        if excluded and "guild" in table.seats:
            return Off("By the rulings of this game not while the Guild is in play.", "NEXUS-GUILD-46")
        return super().off(table, seat)

    def ways(self, table: Table, seat: Faction, usual: tuple[Way, ...]) -> tuple[Way, ...]:
        """One's own way from reserves, with its route and payee. [NEXUS-RICH-03, NEXUS-RICH-04]"""
        own = next((way for way in usual if way.from_reserves and not way.from_board), None)
        if own is None:
            return ()
        label = f"Ship up to {MOST} from your reserves at the price of one, with your Nexus card"
        five = msgspec.structs.replace(
            own, name="nexus_five_as_one", label=label, rule=RULE, word="shipment", most=MOST, as_one=True
        )
        return (five,)
