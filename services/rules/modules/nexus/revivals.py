"""Who is asked in the Revival Phase because a Nexus card could revive something. [NEXUS-57, NEXUS-60]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.modules.nexus.holding import possible_holders
from services.rules.phases.revival_cycle import dead_leaders
from services.rules.phases.revival_offer import AskedToRevive
from services.rules.phases.revival_quotes import revivable_kinds
from shared.dune.table import Table

REVIVING = ("emperor", "fremen", "tleilaxu")
"""The cards whose Secret Ally revives."""


@contributes(AskedToRevive, rule="NEXUS-57")
def could_revive_by_a_card(asked: AskedToRevive, table: Table) -> AskedToRevive:
    """By public facts alone: unallied, with some card, and with something in the tanks. [NEXUS-57]"""
    faction = asked.faction
    possible = any(
        native not in table.seats and faction in possible_holders(table, native) for native in REVIVING
    )
    if not possible or not (revivable_kinds(table, faction) or dead_leaders(table, faction)):
        return asked
    return asked.step(1, "A Nexus card could revive something", "NEXUS-57")
