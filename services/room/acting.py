"""Actions of seats, however they arrive: over HTTP from people and outside bots, over NATS from the bot service."""

from __future__ import annotations

from uuid import UUID

import msgspec
from opentelemetry.trace import SpanKind

from services.room.channel import whole_view
from services.room.decide import Accepted, Desk
from services.room.errors import REFUSALS, ApiError, forbidden, malformed, unavailable
from services.room.ids import is_bot_token
from services.room.store.store import Head, StoreDown
from shared.ops.stages import Stage
from shared.wire import subjects
from shared.wire.client import Bus
from shared.wire.messages import Act, ActReply, AnswerOffer, Look, NoView, Refused, View

LOOK = Stage("room.look", "One look of a bot at its seat's view", kind=SpanKind.SERVER)
ACT = Stage("room.act", "One action of a bot's seat", ("status",), SpanKind.SERVER)

STALE = frozenset({"stale"})
"""Refusal codes that mean: the offer is not open (any more)."""


def refusal(reply: Refused) -> ApiError:
    """What a seat hears of a refusal: 409 for a stale offer, 422 for everything that a rule refused."""
    status = 409 if reply.code in STALE else 422
    return ApiError(status, reply.code, reply.text, rule=reply.rule, args=reply.args)


def outcome(reply: Accepted | Refused) -> bytes:
    """The body of an accepted action. Raises ApiError for a refusal."""
    if isinstance(reply, Refused):
        raise refusal(reply)
    return reply.outcome


class BotDesk:
    """`room.act`: the bot service answers for the seats that bots play, and for no other."""

    def __init__(self, bus: Bus, desk: Desk) -> None:
        self._bus = bus
        self._desk = desk

    async def listen(self) -> None:
        """Answer on `room.act`, one replica for each request."""
        await self._bus.serve(subjects.ROOM_ACT, Act, self.act, queue=subjects.ROOM_QUEUE, concurrency=256)
        await self._bus.serve(subjects.ROOM_LOOK, Look, self.look, queue=subjects.ROOM_QUEUE, concurrency=256)

    async def look(self, look: Look) -> View | NoView:
        """The newest view of a bot's seat, for whoever holds the token of that seat."""
        with LOOK():
            try:
                head = await self._authorised(look, None)
                return await whole_view(self._bus, look.room, look.seat, head.version, log=False)
            except ApiError as error:
                return NoView(error.text)
            except StoreDown:
                return NoView("The database cannot be reached at the moment; try again.")

    async def act(self, act: Act) -> ActReply:
        """One action of a bot's seat."""
        with ACT() as step:
            try:
                reply = ActReply(200, msgspec.Raw(await self._act(act)))
            except ApiError as error:
                REFUSALS["bot", error.code].inc()
                reply = ActReply(error.status, msgspec.Raw(error.body()))
            except StoreDown:
                away = unavailable("The database cannot be reached at the moment; try again.")
                reply = ActReply(away.status, msgspec.Raw(away.body()))
            step.say(str(reply.status))
            return reply

    async def _act(self, act: Act) -> bytes:
        try:
            command_id = UUID(act.command_id)
        except ValueError:
            raise malformed("Room and command id must be UUIDs.") from None
        head = await self._authorised(act, command_id)
        command = AnswerOffer(act.seat, act.offer, act.answer)
        return outcome(await self._desk.decide(head, act.seat, command, command_id))

    async def _authorised(self, asked: Act | Look, command_id: UUID | None) -> Head:
        """The head of the room, not older than the bot's task, if the token is one for this bot's seat.

        Raises ApiError 400, 403 or 404.
        """
        try:
            room = UUID(asked.room)
        except ValueError:
            raise malformed("Room and command id must be UUIDs.") from None
        self._desk.heads.outdated(room, asked.version)
        head = await self._desk.head(room, (), command_id)
        if head is None:
            raise ApiError(404, "no_room", "There is no such room.")
        entitled = is_bot_token(head.bot_key, asked.seat, asked.token)
        if not entitled or asked.seat not in await self._desk.bots(room, head.lobby):
            raise forbidden("That token is not one for a bot's seat of this room.")
        return head
