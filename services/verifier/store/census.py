"""The census of a store: every room's commits and events contiguous, no command twice, the hash chain unbroken.

Read-only, and safe beside a running deployment: each room is read in one snapshot of the database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import msgspec
import psycopg

from shared.ops.refs import room_ref
from shared.wire.chain import GENESIS, canonical, link

Commits = Iterator[tuple[int, list[bytes], bytes]]
"""A room's commits in order: version, events, checkpoint."""
Fold = Callable[[Commits, dict[int, bytes]], list[tuple[int, str]]]
"""Folds a room's commits by the game's own language, given its snapshots by version; says what is wrong where.

A scenario's table was staged, not played: its fold begins with a snapshot, which then also stands under version 0.
"""

Folds = Callable[["Connection", UUID, str], Fold]
"""The fold of one room (its id, its code), which may look at that room's other rows as well: in the same snapshot."""

Connection = psycopg.Connection[tuple[Any, ...]]

BATCH = 500

_ROOMS = "SELECT id, code, state, version, hash, finished, scenario FROM rooms ORDER BY id"
_ORPHANS = """
SELECT 'commits', count(*) FROM commits c WHERE NOT EXISTS (SELECT FROM rooms r WHERE r.id = c.room)
UNION ALL
SELECT 'events', count(*) FROM events e WHERE NOT EXISTS (
    SELECT FROM commits c WHERE c.room = e.room AND c.version = e.version)
UNION ALL
SELECT 'snapshots', count(*) FROM snapshots s WHERE NOT EXISTS (
    SELECT FROM commits c WHERE c.room = s.room AND c.version = s.version)
UNION ALL
SELECT 'deadlines', count(*) FROM deadlines d WHERE NOT EXISTS (SELECT FROM rooms r WHERE r.id = d.room)"""
_COMMITS = """
SELECT c.version, c.command_id, c.checkpoint, c.events, c.finished, c.prev_hash, c.hash,
    ARRAY(SELECT e.index FROM events e WHERE e.room = c.room AND e.version = c.version ORDER BY e.index),
    ARRAY(SELECT e.body::text FROM events e WHERE e.room = c.room AND e.version = c.version ORDER BY e.index)
FROM commits c WHERE c.room = %s AND c.version > %s ORDER BY c.version LIMIT %s"""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: in which room (as logs name it; empty: the store), at which version (0: the room)."""

    room: str
    version: int
    text: str


@dataclass
class Census:
    """What was counted, and what is wrong."""

    rooms: int = 0
    commits: int = 0
    events: int = 0
    faults: list[Fault] = field(default_factory=list)


def verify_store(
    database_url: str,
    fold: Fold | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    folds: Folds | None = None,
) -> Census:
    """Verify every room, with one fold for all or one of its own. `progress` hears (rooms done, rooms in all).

    Raises psycopg.OperationalError.
    """
    census = Census()
    with psycopg.connect(database_url, application_name="sietch-verify") as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        rooms = connection.execute(_ROOMS).fetchall()
        for table, count in connection.execute(_ORPHANS):
            if count:
                census.faults.append(Fault("", 0, f"{count} rows of {table} belong to no commit or room"))
        connection.commit()
        for number, (room, *_) in enumerate(rooms, 1):
            row = connection.execute(_ROOMS.replace("ORDER BY id", "WHERE id = %s"), (room,)).fetchone()
            if row is not None:
                own = None if folds is None else folds(connection, room, row[1])
                _Room(connection, row, census).verify(own or fold)
            connection.commit()
            progress(number, len(rooms))
    return census


class _Room:
    """The verification of one room."""

    def __init__(self, connection: Connection, row: Sequence[Any], census: Census) -> None:
        self.connection = connection
        self.id, _, self.state, self.version, self.hash, self.finished, self.scenario = row
        self.census = census
        self.tip = GENESIS
        self.last = 0
        self.ended = False
        self.commands: set[UUID] = set()

    def verify(self, fold: Fold | None) -> None:
        self.census.rooms += 1
        for row in self._rows():
            self._commit(*row)
        if self.last != self.version:
            self._fault(0, f"the room stands at version {self.version}, its last commit is {self.last}")
        if self.tip != bytes(self.hash):
            self._fault(0, "the room's hash is not that of its last commit")
        if (self.state == "lobby") != (self.version == 0):
            self._fault(0, f"the room is {self.state} at version {self.version}")
        if not self.ended == self.finished == (self.state == "finished"):
            self._fault(0, "room and commits disagree on whether the game is over")
        if fold is not None:
            self._fold(fold)

    def _fold(self, fold: Fold) -> None:
        snapshots, start = self._snapshots(), 0
        if self.scenario and self.version:
            if not snapshots:
                self._fault(0, "the staged table is lost: a scenario cannot be taken up without a snapshot")
                return
            start = min(snapshots)
            snapshots[0] = snapshots[start]
        rows = self._rows(start)
        commits = ((row[0], [text.encode() for text in row[8]], bytes(row[2])) for row in rows)
        for version, text in fold(commits, snapshots):
            self._fault(version, text)

    def _snapshots(self) -> dict[int, bytes]:
        found = self.connection.execute("SELECT version, body FROM snapshots WHERE room = %s", (self.id,))
        return {version: bytes(body) for version, body in found}

    def _rows(self, after: int = 0) -> Iterator[tuple[Any, ...]]:
        while rows := self.connection.execute(_COMMITS, (self.id, after, BATCH)).fetchall():
            yield from rows
            after = rows[-1][0]

    def _commit(
        self,
        version: int,
        command: UUID,
        checkpoint: bytes,
        count: int,
        finished: bool,
        prev_hash: bytes,
        hash_: bytes,
        indexes: list[int],
        bodies: list[str],
    ) -> None:
        self.census.commits += 1
        self.census.events += len(bodies)
        if version != self.last + 1:
            self._fault(version, f"commit {version} follows commit {self.last}")
        if indexes != list(range(count)):
            self._fault(version, f"it has {count} events, the store holds those numbered {indexes}")
        if command in self.commands:
            self._fault(version, "its command id was used before")
        if self.ended:
            self._fault(version, "it follows the end of the game")
        if bytes(prev_hash) != self.tip:
            self._fault(version, "it does not continue the hash chain")
        try:
            events = [canonical(body) for body in bodies]
            right = link(bytes(prev_hash), self.id, version, command, events, bytes(checkpoint))
        except msgspec.DecodeError:
            right = b""
        if right != bytes(hash_):
            self._fault(version, "events, checkpoint or command were altered: the hash does not fit")
        self.commands.add(command)
        self.last, self.tip, self.ended = version, bytes(hash_), finished

    def _fault(self, version: int, text: str) -> None:
        self.census.faults.append(Fault(room_ref(self.id), version, text))
