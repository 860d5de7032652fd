"""An advisor that came with a shipment cannot be made a fighter by choice in the same turn. [BG-27]"""

from __future__ import annotations

from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.watching import watches
from services.rules.factions.bene_gesserit import NAME
from services.rules.factions.bene_gesserit.sides import ADVANCED
from services.rules.phases.movement import HOW as MOVEMENT
from shared.dune import facts
from shared.dune.events.forces import ForcesMoved
from shared.dune.table import Table

__all__ = ["lock", "locked_in"]

LOCKED = "turn.accompanied"
"""Public mark: the territories of advisors that accompanied in this turn, one row for each."""


def locked_in(table: Table, territory: str) -> int:
    """How many advisors of a territory may not become fighters by choice in this turn. [BG-27, RULING-46]"""
    return table.names(LOCKED).count(territory) if ruling(table, "accompany_lock") == "on" else 0


def lock(play: Play, territory: str) -> None:
    """Remember an advisor that has just accompanied."""
    play.set_public(LOCKED, (*play.table.names(LOCKED), territory))


@watches(ForcesMoved, rule="BG-27", modes=ADVANCED)
def moves_with_its_group(play: Play, moved: ForcesMoved) -> None:
    """Of advisors that move, those that are free go first. [BG-27]"""
    rows = play.table.names(LOCKED)
    if moved.faction != NAME or moved.how != MOVEMENT or not rows:
        return
    source, target = (facts.territory_of(place).id for place in (moved.source, moved.target))
    if source not in rows or source == target:
        return
    left = play.table.factions_in(source).get(NAME, 0)
    going = max(0, rows.count(source) - left)
    kept = [row for row in rows if row != source] + [source] * (rows.count(source) - going)
    play.set_public(LOCKED, (*kept, *[target] * going))
