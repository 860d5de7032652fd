"""The bot worker: takes tasks from the work queue, looks at the seat's view, answers, and only then acknowledges.

A worker that dies is replaced by redelivery; the offer's id makes a second answer harmless, and the command id is
made of room, seat and offer, so that a repeat is the same command.
"""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid5

import msgspec
from msgspec import Raw
from opentelemetry.trace import SpanKind

from services.bot.policies import policy
from services.bot.policies.base import chance_of
from shared.dune.offers import Offer
from shared.dune.views import SeatView
from shared.ops import metrics, tracing
from shared.ops.logging import get_logger
from shared.ops.service import Runtime
from shared.ops.settings import Count, Pause, ServiceSettings
from shared.ops.stages import Stage
from shared.wire import streams, subjects
from shared.wire.client import Bus
from shared.wire.consumer import Consumer, Delivery, Later, work_off
from shared.wire.discovery import announce
from shared.wire.errors import BusDown, BusError, BusTimeout, NoResponders
from shared.wire.messages import Act, ActReply, BotTask, Look, NoView, View

__all__ = ["BotSettings", "Worker", "serve"]

log = get_logger("bot")

COMMANDS = UUID("7d6f6d5a-3f0e-5b0c-9a55-5e7a1d5e7c11")
"""Namespace of the command ids that bots make."""
ASK_SECONDS = (1.0, 2.0, 4.0)
"""How long the bot waits for room, try by try, before it asks the same again: room may have died over it."""
AWAY_SECONDS = 0.2
"""How long the bot waits when there is nobody to ask."""
MISSING_TRIES = 5
"""Deliveries after which a task whose offer is not in the view is taken to be over; room gives it again if not."""

DECIDED = metrics.counter("bot_decisions", "Answers by policy and what became of them", ("policy", "outcome"))
TASK = Stage("bot.task", "One task: looking, thinking, answering", ("policy",), SpanKind.CONSUMER)
DECIDE = Stage("bot.decide", "Thinking time of one decision", ("policy",))

_views = msgspec.json.Decoder(SeatView)


class BotSettings(ServiceSettings, frozen=True, kw_only=True):
    """Settings of the bot service: tasks worked on at once, and the least time in seconds before a bot answers."""

    tasks: Count = 16
    pause: Pause = 0.0


class Worker:
    """Answers tasks."""

    def __init__(self, bus: Bus, pause: float) -> None:
        self._bus = bus
        self._pause = pause

    async def work(self, task: BotTask, delivery: Delivery) -> None:
        """One task, start to finish; Later when room or projection cannot be reached or is behind."""
        with tracing.hop(), TASK() as step:
            step.say(task.policy)
            await self._work(task, delivery)

    async def _work(self, task: BotTask, delivery: Delivery) -> None:
        try:
            if self._pause:
                await asyncio.sleep(self._pause)
            seen = await self._look(task)
            offer = None if seen is None else _find(seen, task.offer)
            if seen is None or offer is None:
                if delivery.times < MISSING_TRIES:
                    raise Later(0.1 * delivery.times)
                DECIDED.labels(policy=task.policy, outcome="gone").inc()
                return
            await self._answer(task, seen, offer)
        except BusError as error:
            log.debug("cannot work now; the task will come again", reason=str(error))
            raise Later(0.5) from None

    async def _look(self, task: BotTask) -> SeatView | None:
        reply = await self._ask(
            subjects.ROOM_LOOK, Look(task.room, task.seat, task.token, task.version), View | NoView
        )
        return _views.decode(reply.view) if isinstance(reply, View) else None

    async def _ask(self, subject: str, message: object, kind: Any) -> Any:
        """Ask room, again when no answer comes: looking changes nothing, and a command is known by its id."""
        for seconds in ASK_SECONDS[:-1]:
            try:
                return await self._bus.request(subject, message, kind, seconds)
            except BusTimeout:
                continue
            except (NoResponders, BusDown):
                await asyncio.sleep(AWAY_SECONDS)
        return await self._bus.request(subject, message, kind, ASK_SECONDS[-1])

    async def _answer(self, task: BotTask, seen: SeatView, offer: Offer) -> None:
        with DECIDE() as step:
            step.say(task.policy)
            answer = policy(task.policy).decide(seen, offer, chance_of(seen, offer))
        if await self._act(task, offer, answer) not in (400, 422):
            return
        log.error("a policy's answer was refused; playing the default", policy=task.policy, kind=offer.kind)
        await self._act(task, offer, offer.default)

    async def _act(self, task: BotTask, offer: Offer, answer: object) -> int:
        body = msgspec.json.encode(answer)
        command = uuid5(COMMANDS, f"{task.room}:{task.seat}:{offer.id}:{body.decode()}")
        act = Act(task.room, task.seat, str(command), offer.id, Raw(body), task.token, task.version)
        reply: ActReply = await self._ask(subjects.ROOM_ACT, act, ActReply)
        if reply.status >= 500 or reply.status == 429:
            raise Later(0.3)
        DECIDED.labels(policy=task.policy, outcome=str(reply.status)).inc()
        return reply.status


def _find(seen: SeatView, offer_id: str) -> Offer | None:
    return next((offer for offer in seen.offers if offer.id == offer_id and offer.committed is None), None)


async def serve(runtime: Runtime[BotSettings]) -> None:
    """Work until asked to end."""
    settings = runtime.settings
    bus = await Bus.connect(settings.nats_url, "bot", creds=settings.nats_creds)
    runtime.health.add("nats", bus.check)
    worker = Worker(bus, settings.pause)
    spec = Consumer(stream=streams.BOTS, concurrency=settings.tasks)
    await announce(bus, "bot", settings.instance)
    await work_off(runtime, bus, spec, BotTask, worker.work)
