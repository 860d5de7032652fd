"""Asking the rules service: first the worker that holds the room's table, then whoever is free."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import Literal
from uuid import UUID

import msgspec
from msgspec import Raw
from opentelemetry.trace import SpanKind

from services.room.errors import ApiError, unavailable
from services.room.store.store import Store
from shared.ops import metrics
from shared.ops.stages import Stage
from shared.wire import subjects
from shared.wire.client import Bus
from shared.wire.errors import BadMessage, BusError, BusTimeout, NoResponders, RemoteFailed
from shared.wire.messages import (
    Behind,
    Command,
    Decide,
    Decided,
    Described,
    DescribeOffer,
    Explain,
    Explained,
    Load,
    Refused,
    Reply,
)

Verb = Literal["decide", "check"]

AFFINITY_SECONDS = 1.0
ANSWER_SECONDS = (1.0, 2.0, 5.0)
"""How long to wait for whoever is free, try by try: the first may have died over it, later ones are only busy."""
ROOMS_REMEMBERED = 10_000

ASK = Stage("room.rules", "Time until rules decided, retries included", ("verb", "outcome"), SpanKind.CLIENT)
DETOURS = metrics.counter("room_rules_detours", "Requests that had to be sent again", ("why",))


class Rules:
    """The rules service as room sees it."""

    def __init__(self, bus: Bus, store: Store) -> None:
        self._bus = bus
        self._store = store
        self._workers: OrderedDict[UUID, str] = OrderedDict()

    async def ask(
        self,
        verb: Verb,
        room: UUID,
        at: tuple[int, bytes],
        command: Command,
        command_id: UUID | None,
        until: float,
    ) -> Decided | Refused:
        """Decide (or only check) a command on the room at a version with its chain hash. `until`: monotonic clock.

        Raises ApiError 503 when rules cannot be reached until then, 500 when it failed on this command.
        """
        named = b"" if command_id is None else command_id.bytes
        message = Decide(room.hex, at[0], command, tip=at[1], command_id=named)
        with ASK() as step:
            reply = await self._ask(verb, message, room, until)
            assert isinstance(reply, Decided | Refused)
            step.say(verb, "decided" if isinstance(reply, Decided) else "refused")
            return reply

    async def describe(
        self, room: UUID, at: tuple[int, bytes], wanted: DescribeOffer, until: float
    ) -> bytes | None:
        """The whole of one offer as JSON; None if it is not open for its seat. Raises like `ask`."""
        reply = await self._ask("check", Decide(room.hex, at[0], wanted, tip=at[1]), room, until)
        return bytes(reply.offer) if isinstance(reply, Described) else None

    async def explain(self, room: UUID, at: tuple[int, bytes], wanted: Explain, until: float) -> bytes:
        """Why numbers are what they are for a seat, as a JSON array. Raises like `ask`; ApiError 500 for no seat."""
        reply = await self._ask("check", Decide(room.hex, at[0], wanted, tip=at[1]), room, until)
        if not isinstance(reply, Explained):
            raise ApiError(500, "rules_failed", "The rules service knows no such seat; nothing has changed.")
        return bytes(reply.why)

    async def _ask(
        self, verb: Verb, message: Decide, room: UUID, until: float
    ) -> Decided | Refused | Described | Explained:
        failures = tries = 0
        pause = 0.05
        while True:
            try:
                reply = await self._send(verb, message, self._workers.get(room), until, tries)
                if isinstance(reply, Behind):
                    if message.load is not None and time.monotonic() >= until:
                        raise unavailable("The rules service could not take up this table; try again.")
                    DETOURS.labels(why="behind").inc()
                    message = await self._loaded(message, room)
                    self._remember(room, reply.worker)
                    continue
                self._remember(room, reply.worker)
                return reply
            except (RemoteFailed, BadMessage):
                self._workers.pop(room, None)
                failures += 1
                if failures > 1:
                    raise ApiError(
                        500, "rules_failed", "The rules service failed on this; nothing has changed."
                    ) from None
            except BusError:
                self._workers.pop(room, None)
                tries += 1
                DETOURS.labels(why="unreachable").inc()
                if time.monotonic() + pause >= until:
                    raise unavailable(
                        "The rules service cannot be reached at the moment; try again."
                    ) from None
                await asyncio.sleep(pause)
                pause = min(pause * 2, 0.3)

    async def _send(self, verb: Verb, message: Decide, worker: str | None, until: float, tries: int) -> Reply:
        if worker is not None:
            try:
                subject = subjects.rules_at(worker, verb)
                reply: Reply = await self._bus.request(subject, message, Reply, AFFINITY_SECONDS)
                return reply
            except (NoResponders, BusTimeout):
                DETOURS.labels(why="worker").inc()
        subject = subjects.RULES_DECIDE if verb == "decide" else subjects.RULES_CHECK
        patience = ANSWER_SECONDS[min(tries, len(ANSWER_SECONDS) - 1)]
        patience = max(0.1, min(patience, until - time.monotonic()))
        answered: Reply = await self._bus.request(subject, message, Reply, patience)
        return answered

    async def _loaded(self, message: Decide, room: UUID) -> Decide:
        table, events, checkpoint = await self._store.load(room, message.version)
        load = Load(
            table=None if table is None else Raw(table),
            events=Raw(events),
            checkpoint=Raw(checkpoint),
        )
        return msgspec.structs.replace(message, load=load)

    def _remember(self, room: UUID, worker: str) -> None:
        self._workers[room] = worker
        self._workers.move_to_end(room)
        if len(self._workers) > ROOMS_REMEMBERED:
            self._workers.popitem(last=False)
