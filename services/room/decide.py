"""One command, start to finish: ask rules, append, again when the race was lost, then let the others know.

A repeated command id whose first try was accepted gets the stored outcome, if it asks for the same; whoever asks for
something else with it is told so. A refusal is not stored: it changed nothing, so a repeat is simply decided again,
and may then be accepted.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

import msgspec
from opentelemetry.trace import SpanKind

from services.room.commits import AT_ONCE, Pause, bot_task, check_repeat, commit_of, digest_of, to_ask
from services.room.errors import ApiError, no_token, unavailable
from services.room.heads import Heads
from services.room.outbox import Outbox
from services.room.rules import Rules
from services.room.store.append import NewCommit
from services.room.store.store import Head, OutdatedError, Store, StoreDown
from shared.ops import metrics
from shared.ops.database import StoreLost
from shared.ops.logging import get_logger, notice
from shared.ops.refs import room_ref
from shared.ops.stages import Stage
from shared.wire.messages import Command, Decided, DescribeOffer, Explain, Refused

log = get_logger("room.decide")

ACT_SECONDS = 10.0
ROOMS_REMEMBERED = 10_000

_FORGET = """
DELETE FROM snapshots WHERE room = %s
AND version < (SELECT max(version) FROM snapshots WHERE room = %s AND version < %s)"""

T = TypeVar("T")

APPEND = Stage("room.append", "One append to the event store", kind=SpanKind.CLIENT)
RACES = metrics.counter("room_races_lost", "Commands decided again because another one was first")
DECIDED = metrics.Children(
    metrics.counter("room_commands", "Commands by kind and outcome", ("kind", "outcome"))
)
FINISHED = metrics.counter("room_games_finished", "Games that ended, by the way of winning", ("way",))


_Lost = tuple[bytes, Callable[[], None]] | None
"""A commit that may have been made as the connection broke: its hash, and how the others are told of it."""


class _Ended(msgspec.Struct):
    """What room reads of a game's public result."""

    way: str = "unknown"


@dataclass(frozen=True, slots=True)
class Accepted:
    """A command was accepted, now or (`repeated`) at an earlier try. `version` never leaves the service."""

    outcome: bytes
    version: int
    repeated: bool


class _RoomLock:
    """Commands of one room are decided one after another in this process; the primary key rules over all."""

    __slots__ = ("__weakref__", "lock")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()


class Desk:
    """Where commands are decided."""

    def __init__(self, store: Store, rules: Rules, outbox: Outbox, pause: Pause = AT_ONCE) -> None:
        self._pause = pause
        self._store = store
        self._rules = rules
        self._outbox = outbox
        self.heads = Heads()
        self._locks: WeakValueDictionary[UUID, _RoomLock] = WeakValueDictionary()
        self._bots: OrderedDict[UUID, tuple[int, dict[str, str]]] = OrderedDict()
        self._background: set[asyncio.Task[None]] = set()

    async def head(
        self, room: UUID | str, hashes: Sequence[bytes] = (), command_id: UUID | None = None
    ) -> Head | None:
        """A room's head for a command, with the valid ones of the tokens shown: remembered, or else read."""
        return self.heads.recall(room, hashes, command_id) or await self._read(room, hashes, command_id)

    async def decide(
        self,
        head: Head,
        seat: str,
        command: Command,
        command_id: UUID,
        until: float | None = None,
        token: bytes | None = None,
    ) -> Accepted | Refused:
        """Decide and append one command of a room that has begun. `head` is that of `Desk.head` for `command_id`.

        `token` is the hash of the token by which it is asked. Raises ApiError 503 when rules or the store cannot be
        reached in time: then the command may or may not have been accepted, and the same command id finds out;
        409 for an id that was used to ask for something else; 401 for a token that was revoked meanwhile.
        """
        until = time.monotonic() + ACT_SECONDS if until is None else until
        mine = self._lock(head.id)
        async with mine.lock:
            head = self.heads.newest(head)
            lost: _Lost = None
            while True:
                if head.outcome is not None:
                    return self._repeated(head, head.outcome, command, lost)
                try:
                    reply = await self._rules.ask(
                        "decide", head.id, (head.version, head.hash), command, command_id, until
                    )
                except OutdatedError:
                    head = await self._newer(head, command_id, token)
                    continue
                if isinstance(reply, Decided):
                    commit, tell = await self._made(head, seat, command, command_id, reply, token)
                    if await self._append(commit, until):
                        return self._accepted(head, commit, command, tell)
                    lost, head = (commit.hash, tell), await self._fresh(head, command_id, token)
                    continue
                asked_of, head = head, await self._certain(head, command_id, token)
                if head.outcome is None and head.version == asked_of.version:
                    self._count(command, "refused")
                    return reply

    async def _made(
        self, head: Head, seat: str, command: Command, command_id: UUID, reply: Decided, token: bytes | None
    ) -> tuple[NewCommit, Callable[[], None]]:
        """The commit of an accepted command, and how the others are told once it is stored."""
        bots = await self.bots(head.id, head.lobby)
        commit = commit_of(head, seat, command_id, reply, bots, digest_of(command), token, self._pause)
        return commit, partial(self.announce, head, commit, reply, command, bots)

    def _repeated(self, head: Head, outcome: bytes, command: Command, lost: _Lost) -> Accepted:
        check_repeat(head, command)
        if lost is not None and lost[0] == head.hash:
            lost[1]()  # committed by this very process as its connection broke: nobody has been told of it
        self._count(command, "repeated")
        return Accepted(outcome, head.done_version or 0, True)

    def _accepted(
        self, head: Head, commit: NewCommit, command: Command, tell: Callable[[], None]
    ) -> Accepted:
        self._count(command, "accepted")
        self.heads.advance(head, commit)
        if commit.finished:
            FINISHED.labels(msgspec.json.decode(commit.result or b"{}", type=_Ended).way).inc()
        tell()
        return Accepted(commit.outcome, commit.expected + 1, False)

    async def check(self, head: Head, command: Command) -> Decided | Refused:
        """Whether rules would accept a command now. Nothing changes."""
        until = time.monotonic() + ACT_SECONDS
        return await self._asking(
            head, lambda at: self._rules.ask("check", at.id, (at.version, at.hash), command, None, until)
        )

    async def describe(self, head: Head, seat: str, offer: str) -> bytes | None:
        """The whole of one offer of a seat, as JSON; None if it is not open for it."""
        until = time.monotonic() + ACT_SECONDS
        wanted = DescribeOffer(seat, offer)
        return await self._asking(
            head, lambda at: self._rules.describe(at.id, (at.version, at.hash), wanted, until)
        )

    async def explain(self, head: Head, seat: str) -> bytes:
        """Why prices, limits and strengths are what they are for a seat now, as a JSON array."""
        until = time.monotonic() + ACT_SECONDS
        return await self._asking(
            head, lambda at: self._rules.explain(at.id, (at.version, at.hash), Explain(seat), until)
        )

    async def _asking(self, head: Head, ask: Callable[[Head], Awaitable[T]]) -> T:
        """Ask at this head, and once more at the newest where the room has gone on too far for it."""
        try:
            return await ask(head)
        except OutdatedError:
            return await ask(await self._newer(head, None, None))

    async def _append(self, commit: NewCommit, until: float) -> bool:
        """True when appended; False when the room has to be looked at again (lost race, broken connection)."""
        try:
            with APPEND():
                version = await self._store.append(commit)
        except StoreLost:
            # It may have been committed: the caller looks the command up before anything else happens.
            if time.monotonic() >= until:
                raise unavailable("The database cannot be reached at the moment; try again.") from None
            log.warning("lost the database during an append; looking the command up")
            await asyncio.sleep(0.05)
            return False
        if version is None:
            RACES.inc()
        return version is not None

    async def _certain(self, head: Head, command_id: UUID, token: bytes | None) -> Head:
        """What was refused on a remembered head is refused for certain only if the room still stands there."""
        return head if head.certain else await self._fresh(head, command_id, token)

    async def _newer(self, head: Head, command_id: UUID | None, token: bytes | None) -> Head:
        """The head of a room that has gone on. Raises ApiError 500 when it has not: then the store lacks its table."""
        fresh = await self._fresh(head, command_id, token)
        if fresh.version == head.version:
            log.error("a staged table is not in the store any more", room=room_ref(head.id))
            raise ApiError(500, "rules_failed", "This table is lost; nothing has changed.")
        return fresh

    async def _fresh(self, head: Head, command_id: UUID | None, token: bytes | None) -> Head:
        """The head as the store has it. Raises ApiError 401 when the token is not valid any more."""
        fresh = await self._read(head.id, () if token is None else (token,), command_id)
        if fresh is None:
            raise LookupError(f"room {head.code} is gone")
        if token is not None and not fresh.grants:
            raise no_token()
        return fresh

    async def _read(self, room: UUID | str, hashes: Sequence[bytes], command_id: UUID | None) -> Head | None:
        head = await self._store.head(room, hashes, command_id)
        if head is not None:
            self.heads.learn(head)
        return head

    async def bots(self, room: UUID, lobby: int) -> dict[str, str]:
        """The factions that bots play in a room, with policies; remembered until seats change, by their count."""
        known = self._bots.get(room)
        if known is None or known[0] < lobby:
            known = self._bots[room] = (lobby, await self._store.bot_seats(room))
            if len(self._bots) > ROOMS_REMEMBERED:
                self._bots.popitem(last=False)
        return known[1]

    def forget(self, room: UUID) -> None:
        """A room's seats or tokens changed: read them again when they are needed."""
        self._bots.pop(room, None)
        self.heads.forget(room)

    def announce(
        self, head: Head, commit: NewCommit, reply: Decided, command: Command, bots: dict[str, str]
    ) -> None:
        """Publish the wake-up and the bots' tasks of a commit just appended, and keep its snapshot. No waiting."""
        version = commit.expected + 1
        made = (commit.canonical, commit.checkpoint, commit.finished)
        self._outbox.commit(head.id, version, *made, at=time.time())
        for row in to_ask(head.open, commit.open, command, bots):
            task = bot_task(head.id, version, head.bot_key, row, bots[row.seat])
            self._outbox.bot_task(head.id, version, task)
        if reply.snapshot is not None and commit.table is None:
            self._spawn_snapshot(head.id, version, bytes(reply.snapshot))
        if commit.finished:
            ref = room_ref(head.id)
            notice(f"room {ref}: the game is over", room=ref)

    def _spawn_snapshot(self, room: UUID, version: int, body: bytes) -> None:
        task = asyncio.create_task(self._keep_snapshot(room, version, body))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _keep_snapshot(self, room: UUID, version: int, body: bytes) -> None:
        with contextlib.suppress(StoreDown):  # a snapshot is a cache: the next one will do
            await self._store.write(
                "INSERT INTO snapshots (room, version, body) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                (room, version, body),
            )
            # The one before stays: whoever does not know of the newest versions yet takes the room up from there.
            await self._store.write(_FORGET, (room, room, version))

    def _lock(self, room: UUID) -> _RoomLock:
        lock = self._locks.get(room)
        if lock is None:
            lock = self._locks[room] = _RoomLock()
        return lock

    @staticmethod
    def _count(command: Command, outcome: str) -> None:
        DECIDED[type(command).__name__, outcome].inc()


__all__ = ["Accepted", "Desk"]
