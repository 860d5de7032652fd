"""What clients were told, against what the store holds: answers, refusals, and every whole view by its number."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from services.verifier.promises import Promised, digest
from services.verifier.store.census import Connection
from shared.dune.offers import Checkpoint
from shared.dune.table import Table
from shared.dune.views import encode_view, view

__all__ = ["Keeping"]

_COMMANDS = "SELECT command_id::text, seat FROM commits WHERE room = %s"


class Keeping:
    """Whether one room keeps what was promised; it is shown every version of the fold."""

    def __init__(self, promised: Promised) -> None:
        self._promised = promised
        self._wanted: dict[tuple[str, int], set[str]] = {}
        for shown in promised.shown:
            self._wanted.setdefault((shown.audience, shown.seq), set()).add(shown.digest)
        self._met: set[tuple[str, int]] = set()
        self._wrong: list[tuple[int, str]] = []
        self._over = False

    def seen(self, version: int, table: Table, checkpoint: Checkpoint) -> None:
        """Hold the views that were told at this version's numbers."""
        self._over = table.result is not None
        for audience, seq in checkpoint.sequences.items():
            wanted = self._wanted.get((audience, seq))
            if wanted is None or (audience, seq) in self._met:
                continue
            self._met.add((audience, seq))
            if wanted != {digest(encode_view(view(table, checkpoint, audience)))}:
                self._wrong.append(
                    (
                        version,
                        f"{audience} was told a view with number {seq} that is not what the events make",
                    )
                )

    def faults(self, connection: Connection, room: UUID) -> Iterator[tuple[int, str]]:
        """What was not kept; asked after the fold."""
        yield from self._wrong
        stored: dict[str, str] = dict(connection.execute(_COMMANDS, (room,)).fetchall())
        for command, seat in self._promised.accepted.items():
            if command not in stored:
                yield 0, f"an answer of {seat} was accepted (command {command}), and is not in the store"
            elif stored[command] != seat:
                yield 0, f"an answer of {seat} (command {command}) is stored as one of {stored[command]}"
        for command, seat in self._promised.refused.items():
            if command in stored:
                yield 0, f"an answer of {seat} was refused (command {command}), and is in the store"
        for audience, seq in sorted(self._wanted.keys() - self._met):
            yield 0, f"{audience} was told of number {seq}, which the store has not"
        if self._promised.finished and not self._over:
            yield 0, "clients were told that the game is over, and by its events it is not"
