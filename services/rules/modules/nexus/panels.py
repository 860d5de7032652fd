"""What a holder reads of its own card: each effect of its panel, and why it cannot be played now. [NEXUS-58, NEXUS-68]

An effect is played by itself, as an answer, with a shipment or at the end of a turn of action: all are told.
"""

from __future__ import annotations

from collections.abc import Iterator

from services.rules.engine.windows import reactions_in
from services.rules.modules.nexus.endings import NexusTurnEnding
from services.rules.modules.nexus.gates import NexusReaction
from services.rules.modules.nexus.holding import Mode, mode_of
from services.rules.modules.nexus.ways import SecretAllyWays
from services.rules.phases.movement_offer import turn_endings
from services.rules.phases.shipment_aids import way_openings
from services.rules.phases.shipment_quotes import ways_of
from shared.dune.facts.nexus import NexusCard
from shared.dune.settings import Faction
from shared.dune.shapes import Off
from shared.dune.table import Table

__all__ = ["elsewhere"]


def elsewhere(card: NexusCard, table: Table, seat: Faction) -> Iterator[tuple[str, str, Off]]:
    """The effects of a holder's panel that it does not play by itself: name, label, and when it may use it or why not.

    Where the question in which it may is open, that question says more. [NEXUS-68]
    """
    mode = mode_of(table, seat, card.faction)
    yield from _answers(card, mode, table)
    for ending in turn_endings().values():
        if isinstance(ending, NexusTurnEnding) and (ending.native, ending.mode) == (card.faction, mode):
            then = Off("You may choose it when you end your turn of action.", ending.rule)
            found = ending.fields(table, seat)
            yield ending.name, ending.label, found if isinstance(found, Off) else then
    for opening in way_openings(table):
        if isinstance(opening, SecretAllyWays) and (opening.native, "secret_ally") == (card.faction, mode):
            then = Off("You may choose it with your own shipment.", opening.rule)
            for way in opening.ways(table, seat, ways_of(table, seat)):
                yield way.name, way.label, opening.off(table, seat) or then


def _answers(card: NexusCard, mode: Mode, table: Table) -> Iterator[tuple[str, str, Off]]:
    for one in reactions_in(table.settings.mode, table.settings.modules):
        if isinstance(one, NexusReaction) and (one.native, one.mode) == (card.faction, mode):
            yield one.name, one.label, one.told(table)
