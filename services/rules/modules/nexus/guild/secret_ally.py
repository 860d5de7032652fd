"""Secret Ally of the Guild card: one shipment as the Guild ships, where no Guild is in play. [NEXUS-GUILD-24]"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from services.rules.engine.play import Play
from services.rules.modules.nexus.holding import held, play_card, possible_holders, why_not
from services.rules.phases.shipment_aids import WayOpening, way_opening
from services.rules.phases.shipment_quotes import Way
from shared.dune.facts.nexus import nexus_card_of
from shared.dune.settings import Faction
from shared.dune.shapes import Off
from shared.dune.table import Table

NATIVE: Faction = "guild"
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
class ShipAsTheGuild(WayOpening):
    """Half price, cross-ships and returns for one's one shipment, paid to the bank. [NEXUS-GUILD-25..NEXUS-GUILD-29]"""

    name: ClassVar[str] = "nexus_guild"
    rule: ClassVar[str] = RULE

    def possible(self, table: Table, seat: Faction) -> bool:
        """Nobody is the Guild, and the seat holds some card and has no ally. [NEXUS-57]"""
        return NATIVE not in table.seats and seat in possible_holders(table, NATIVE)

    def is_held(self, table: Table, seat: Faction) -> bool:
        """Its holder alone, where it is a secret ally. [NEXUS-24]"""
        return NATIVE not in table.seats and held(table, seat) == nexus_card_of(NATIVE)

    def off(self, table: Table, seat: Faction) -> Off | None:
        """Not with an ally. [NEXUS-26]"""
        return why_not(table, seat, NATIVE, "secret_ally")

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

    def spend(self, play: Play, seat: Faction) -> None:
        """With the declaration. [NEXUS-GUILD-25, NEXUS-GUILD-34]"""
        play_card(play, seat, NATIVE, "guild_shipment", TEXT)
