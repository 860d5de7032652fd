"""The whole judgement of a store: rows and chains, folds, what is kept beside them, and what clients were promised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

import msgspec
from msgspec import Raw

from services.verifier.promises import Promised
from services.verifier.store.census import Census, Commits, Connection, Fault, Fold, verify_store
from services.verifier.store.fold import fold
from services.verifier.store.promised import Keeping
from services.verifier.store.rows import beside
from shared.dune.offers import Checkpoint
from shared.dune.table import Table

__all__ = ["judge_store"]

_NEWEST = "SELECT version, checkpoint FROM commits WHERE room = %s ORDER BY version DESC LIMIT 1"
_NOTHING = Checkpoint(Raw(b"[]"), "")


def judge_store(
    database_url: str,
    promised: Sequence[Promised] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
    details: bool = False,
) -> Census:
    """Everything that is wrong. Raises psycopg.OperationalError."""
    waiting = {one.code: one for one in promised}

    def folds(connection: Connection, room: UUID, code: str) -> Fold:
        return _Room(connection, room, waiting.pop(code, None), details).fold

    census = verify_store(database_url, None, progress, folds)
    for code in sorted(waiting):
        census.faults.append(Fault("", 0, f"clients were told of room {code}, and it is not in the store"))
    return census


class _Room:
    """One room: what its fold shows is kept for whatever has to follow from it."""

    def __init__(self, connection: Connection, room: UUID, promised: Promised | None, details: bool) -> None:
        self._connection = connection
        self._room = room
        self._keeping = None if promised is None else Keeping(promised)
        self._details = details
        self._table: Table | None = None
        self._checkpoint = _NOTHING

    def fold(self, commits: Commits, snapshots: dict[int, bytes]) -> list[tuple[int, str]]:
        """What is wrong, by version."""
        found = fold(commits, snapshots, self._seen, self._details)
        if self._table is None and 0 in snapshots and not found:
            self._staged(snapshots[0])
        if not found:
            found += beside(self._connection, self._room, self._table, self._checkpoint)
        if self._keeping is not None:
            found += self._keeping.faults(self._connection, self._room)
        return found

    def _staged(self, table: bytes) -> None:
        """A staged table on which nothing was played yet."""
        row = self._connection.execute(_NEWEST, (self._room,)).fetchone()
        if row is not None:
            self._seen(
                row[0], msgspec.json.decode(table, type=Table), msgspec.json.decode(row[1], type=Checkpoint)
            )

    def _seen(self, version: int, table: Table, checkpoint: Checkpoint) -> None:
        self._table, self._checkpoint = table, checkpoint
        if self._keeping is not None:
            self._keeping.seen(version, table, checkpoint)
