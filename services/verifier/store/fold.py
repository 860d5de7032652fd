"""The fold of a room's events by the game's own language, every table held to the census. [GEN-14, GEN-15]"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import psycopg

from services.rules.census import check_census
from services.verifier.store.census import Commits
from shared.dune.events import decode_event, evolve
from shared.dune.offers import Checkpoint
from shared.dune.table import CensusError, Table

__all__ = ["Seen", "fold"]

ROUND_TRIP_EVERY = 50

Seen = Callable[[int, Table, Checkpoint], None]
"""Is shown version, table and checkpoint after every commit."""


def fold(
    commits: Commits,
    snapshots: dict[int, bytes],
    seen: Seen = lambda version, table, checkpoint: None,
    details: bool = False,
) -> list[tuple[int, str]]:
    """Fold a room's events as projection does, and hold every table to the census.

    Returns the first thing that is wrong: after it, nothing that follows means anything. With `details` it says which
    pieces are concerned, which may be secrets of players.
    """
    table = Table()
    version = 0
    try:
        if 0 in snapshots:
            table = msgspec.json.decode(snapshots[0], type=Table)
            check_census(table)
        for version, events, checkpoint in commits:
            for event in events:
                table = evolve(table, decode_event(event))
            check_census(table)
            seen(version, table, msgspec.json.decode(checkpoint, type=Checkpoint))
            if version in snapshots and msgspec.json.decode(snapshots[version], type=Table) != table:
                return [(version, "the snapshot is not the fold of the events")]
            if version % ROUND_TRIP_EVERY == 0 and not _survives_json(table):
                return [(version, "the table does not survive JSON")]
    except CensusError as wrong:
        return [(version, "the census does not add up" + (f": {wrong}" if details else ""))]
    except psycopg.Error:
        raise
    except Exception as wrong:  # noqa: BLE001 - whatever it breaks down over: the row is at fault, and others follow
        said = f"{type(wrong).__name__}: {wrong}" if details else type(wrong).__name__
        return [(version, f"an event or the checkpoint cannot be folded: {said}")]
    return [] if _survives_json(table) else [(version, "the table does not survive JSON")]


def _survives_json(table: Table) -> bool:
    return msgspec.json.decode(msgspec.json.encode(table), type=Table) == table
