"""One room held hot: its table at a version, what each watched audience was shown last, and its latest events."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from services.projection.log import Log, Telling
from services.projection.patch import changes
from services.projection.questions import read_questions
from services.projection.store import StoredCommit, StoredRoom
from shared.dune.events import decode_event, decode_events, evolve
from shared.dune.table import Table
from shared.dune.views import SeatView, encode_view, shown, view_of
from shared.wire.messages import View, ViewChanged

__all__ = ["TABLE", "HotRoom"]

TABLE = "table"
"""The audience of a scenario room's host: the whole truth, for conformance cases over HTTP."""

_tables = msgspec.json.Decoder(Table)


class HotRoom:
    """Folds commits and tells what they changed for each audience. Versions are applied once, in order."""

    def __init__(self, room: str, stored: StoredRoom, scenario: bool) -> None:
        self.room = room
        self.version = stored.version
        self.scenario = scenario
        table = Table() if stored.table is None else _tables.decode(stored.table)
        for event in decode_events(stored.events):
            table = evolve(table, event)
        self._shown = shown(table)
        self._questions = read_questions(stored.checkpoint)
        self._log = Log(stored.recent)
        self._views: dict[str, SeatView] = {}

    @property
    def table(self) -> Table:
        """The table at `version`."""
        return self._shown.table

    def whole(self, audience: str, log: bool = True) -> View | None:
        """The whole view of an audience, with its log if wanted; None for an audience that this room has not."""
        if audience == TABLE:
            return self._truth() if self.scenario else None
        if not self._knows(audience):
            return None
        body = Raw(encode_view(self._view(audience)))
        return View(self.room, audience, self._seq(audience), body, self._log.lines(audience) if log else [])

    def apply(self, commit: StoredCommit, audiences: list[str]) -> list[ViewChanged]:
        """Fold the next commit; what each of the watched audiences is to be sent. ValueError out of order."""
        if commit.version != self.version + 1:
            raise ValueError(f"commit {commit.version} does not follow {self.version}")
        before = {who: (self._seq(who), self._view(who)) for who in audiences if self._knows(who)}
        events = [decode_event(body) for body in commit.events]
        table = self._shown.table
        for event in events:
            table = evolve(table, event)
        self._shown = shown(table, self._shown)
        self._questions = read_questions(commit.checkpoint)
        self.version = commit.version
        told = [Telling(event) for event in events]
        for telling, body in zip(told, commit.events, strict=True):
            self._log.add(telling, body)
        self._views = {}
        changed = [self._change(audience, *then, told) for audience, then in before.items()]
        return [change for change in changed if change is not None]

    def _change(self, audience: str, seq: int, old: SeatView, told: list[Telling]) -> ViewChanged | None:
        """Nothing for an audience whose sequence did not move: it was shown nothing, and its view is as it was."""
        if self._seq(audience) == seq:
            self._views[audience] = old
            return None
        patch = msgspec.json.encode(changes(old, self._view(audience)), order="sorted")
        lines = [line for telling in told if (line := telling.line(audience)) is not None]
        return ViewChanged(self.room, audience, self._seq(audience), lines, Raw(patch))

    def _view(self, audience: str) -> SeatView:
        found = self._views.get(audience)
        if found is None:
            asked = self._questions
            offers, standing = asked.offers_of(audience), asked.standing_of(audience)
            found = view_of(self._shown, audience, offers, standing, asked.waiting)
            self._views[audience] = found
        return found

    def _seq(self, audience: str) -> int:
        return self._questions.sequences.get(audience, 0)

    def _knows(self, audience: str) -> bool:
        return audience in self.table.seats or audience == "spectator"

    def _truth(self) -> View:
        """The whole table, for a scenario's host."""
        return View(self.room, TABLE, self.version, Raw(msgspec.json.encode(self.table)))
