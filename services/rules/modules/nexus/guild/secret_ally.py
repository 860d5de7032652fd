"""Secret Ally of the Guild card: one shipment as the Guild ships, where no Guild is in play. [NEXUS-GUILD-24]"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from services.rules.modules.nexus.ways import SecretAllyWays
from services.rules.phases.shipment_aids import way_opening
from services.rules.phases.shipment_quotes import Way
from shared.dune.settings import Faction
from shared.dune.table import Table

RULE = "NEXUS-GUILD-27"
TEXT = "it ships as the Spacing Guild does."
BY_CARD = "with your Nexus card"

CROSS = Way(
    "nexus_cross_ship",
    f"Ship from one territory to another at half price, {BY_CARD}",
    RULE,
    "cross-ship",
    from_board=True,
    rate=2,
)
RETURN = Way(
    "nexus_return",
    f"Ship from the board to your reserves, 1 spice for 2 forces, {BY_CARD}",
    RULE,
    "return",
    from_board=True,
    to_reserves=True,
    unit=1,
    rate=2,
)


@way_opening
class ShipAsTheGuild(SecretAllyWays):
    """Half price, cross-ships and returns for one's one shipment, paid to the bank. [NEXUS-GUILD-25..NEXUS-GUILD-29]"""

    name: ClassVar[str] = "nexus_guild"
    rule: ClassVar[str] = RULE
    native: ClassVar[Faction] = "guild"
    effect: ClassVar[str] = "guild_shipment"
    text: ClassVar[str] = TEXT

    def ways(self, table: Table, seat: Faction, usual: tuple[Way, ...]) -> tuple[Way, ...]:
        """From where one's reserves come they still come, but for spice and to any territory. [NEXUS-GUILD-30]"""
        own = next((way for way in usual if way.from_reserves and not way.from_board), None)
        if own is None:
            return (CROSS, RETURN)
        label = f"Ship from your reserves at half price, {BY_CARD}"
        ship = msgspec.structs.replace(
            own, name="nexus_ship", label=label, rule=RULE, word="shipment", is_free=False, rate=2
        )
        return (ship, CROSS, RETURN)
