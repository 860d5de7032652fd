"""One room held hot: its table at a version, what each watched audience was shown last, and its latest events."""

from __future__ import annotations

from collections import deque
from typing import Any

import msgspec
from msgspec import Raw

from services.projection.patch import merge_patch
from services.projection.store import RECENT_EVENTS, StoredCommit, StoredRoom
from shared.dune.events import Event, decode_event, evolve, visible
from shared.dune.offers import Checkpoint
from shared.dune.table import Table
from shared.dune.views import encode_view, view
from shared.wire.messages import View, ViewChanged

__all__ = ["TABLE", "HotRoom"]

TABLE = "table"
"""The audience of a scenario room's host: the whole truth, for conformance cases over HTTP."""

_tables = msgspec.json.Decoder(Table)
_checkpoints = msgspec.json.Decoder(Checkpoint)


class HotRoom:
    """Folds commits and tells what they changed for each audience. Versions are applied once, in order."""

    def __init__(self, room: str, stored: StoredRoom, scenario: bool) -> None:
        self.room = room
        self.version = stored.version
        self.scenario = scenario
        table = Table() if stored.table is None else _tables.decode(stored.table)
        for body in stored.events:
            table = evolve(table, decode_event(body))
        self._table = table
        self._checkpoint = _checkpoints.decode(stored.checkpoint)
        self._recent: deque[Event] = deque(
            (decode_event(body) for body in stored.recent), maxlen=RECENT_EVENTS
        )
        self._shown: dict[str, dict[str, Any]] = {}

    @property
    def table(self) -> Table:
        """The table at `version`."""
        return self._table

    def whole(self, audience: str) -> View | None:
        """The whole view of an audience with its log; None for an audience that this room has not."""
        if audience == TABLE:
            return self._truth() if self.scenario else None
        if not self._knows(audience):
            return None
        body = encode_view(view(self._table, self._checkpoint, audience))
        log = [part for event in self._recent if (part := visible(event, audience)) is not None]
        lines = [Raw(msgspec.json.encode(part)) for part in log]
        return View(self.room, audience, self._seq(audience), Raw(body), lines)

    def apply(self, commit: StoredCommit, audiences: list[str]) -> list[ViewChanged]:
        """Fold the next commit; what each of the watched audiences is to be sent. ValueError out of order."""
        if commit.version != self.version + 1:
            raise ValueError(f"commit {commit.version} does not follow {self.version}")
        known = [audience for audience in audiences if self._knows(audience)]
        before = {audience: (self._seq(audience), self._built(audience)) for audience in known}
        events = [decode_event(body) for body in commit.events]
        for event in events:
            self._table = evolve(self._table, event)
        self._recent.extend(events)
        self._checkpoint = _checkpoints.decode(commit.checkpoint)
        self.version = commit.version
        self._shown = {}
        changed = [self._change(audience, *before[audience], events) for audience in known]
        return [change for change in changed if change is not None]

    def _change(
        self, audience: str, seq: int, old: dict[str, Any], events: list[Event]
    ) -> ViewChanged | None:
        """Nothing for an audience whose sequence did not move: it was shown nothing."""
        if self._seq(audience) == seq:
            self._shown[audience] = old
            return None
        patch = merge_patch(old, self._built(audience))
        parts = [part for event in events if (part := visible(event, audience)) is not None]
        lines = [Raw(msgspec.json.encode(part)) for part in parts]
        patched = Raw(msgspec.json.encode(patch))
        return ViewChanged(self.room, audience, self._seq(audience), lines, patched)

    def _built(self, audience: str) -> dict[str, Any]:
        if audience not in self._shown:
            body = encode_view(view(self._table, self._checkpoint, audience))
            self._shown[audience] = msgspec.json.decode(body)
        return self._shown[audience]

    def _seq(self, audience: str) -> int:
        return self._checkpoint.sequences.get(audience, 0)

    def _knows(self, audience: str) -> bool:
        return audience in self._table.seats or audience == "spectator"

    def _truth(self) -> View:
        """The whole table, for a scenario's host."""
        return View(self.room, TABLE, self.version, Raw(msgspec.json.encode(self._table)))
