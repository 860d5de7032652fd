"""Secret Ally of the Richese card: up to five forces shipped at the price of one. [NEXUS-RICH-01]"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.modules.nexus.holding import held, play_card, possible_holders, why_not
from services.rules.phases.shipment_aids import WayOpening, way_opening
from services.rules.phases.shipment_quotes import Way
from shared.dune.facts.nexus import nexus_card_of
from shared.dune.settings import Faction
from shared.dune.shapes import Off
from shared.dune.table import Table

NATIVE: Faction = "richese"
RULE = "NEXUS-RICH-01"
MOST = 5
TEXT = f"it ships up to {MOST} forces at the price of one."


@way_opening
class FiveAsOne(WayOpening):
    """Instead of one's shipment from reserves. [NEXUS-RICH-01, NEXUS-RICH-03]"""

    name: ClassVar[str] = "nexus_richese"
    rule: ClassVar[str] = RULE

    def possible(self, table: Table, seat: Faction) -> bool:
        """Nobody is Richese, and the seat holds some card and has no ally. [NEXUS-57]"""
        return NATIVE not in table.seats and seat in possible_holders(table, NATIVE)

    def is_held(self, table: Table, seat: Faction) -> bool:
        """Its holder alone, where it is a secret ally. [NEXUS-24]"""
        return NATIVE not in table.seats and held(table, seat) == nexus_card_of(NATIVE)

    def off(self, table: Table, seat: Faction) -> Off | None:
        """Not with an ally; by ruling not where the payment could be taken. [NEXUS-26, NEXUS-GUILD-46]"""
        excluded = ruling(table, "nexus.guild.betrayal_producers") == "preview_exclusions"
        if excluded and "guild" in table.seats:
            return Off("By the rulings of this game not while the Guild is in play.", "NEXUS-GUILD-46")
        return why_not(table, seat, NATIVE, "secret_ally")

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

    def spend(self, play: Play, seat: Faction) -> None:
        """With the declaration; a stop afterwards does not bring it back. [NEXUS-RICH-05]"""
        play_card(play, seat, NATIVE, "five_as_one", TEXT)
