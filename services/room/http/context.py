"""What every route works with: one object, made when the service starts."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from services.room.decide import Desk
from services.room.http.access import Access, enter, room_code, tokens_of
from services.room.http.limits import Limiter
from services.room.http.replies import RoomState, You
from services.room.hub import Hub
from services.room.ids import token_hash
from services.room.rooms import Rooms
from services.room.settings import RoomSettings
from services.room.state import room_state
from services.room.store.lobby import Lobbies
from services.room.store.store import Store
from shared.wire.client import Bus

_encoder = msgspec.json.Encoder()


@dataclass
class Context:
    """The parts of a running room service."""

    settings: RoomSettings
    bus: Bus
    store: Store
    lobbies: Lobbies
    desk: Desk
    hub: Hub
    rooms: Rooms
    limiter: Limiter

    def address(self, request: Request) -> str:
        """The client's address: of the connection, or what the trusted proxy in front saw."""
        if self.settings.trust_proxy and (forwarded := request.headers.get("x-forwarded-for")):
            return forwarded.rpartition(",")[2].strip()
        return request.client.host if request.client else "unknown"

    def client(self, request: Request, code: str) -> str:
        """Whom limits count: the first token that the request shows and that was valid before, else its address.

        An invented token counts as none: whoever made a new one for each request would have no limit.
        """
        tokens, _ = tokens_of(request, room_code(code))
        known = (hash_ for hash_ in map(token_hash, tokens) if self.limiter.knows(hash_))
        found = next(known, None)
        return self.address(request) if found is None else found.hex()

    def is_secure(self, request: Request) -> bool:
        """Whether the client came by HTTPS."""
        if self.settings.trust_proxy and (scheme := request.headers.get("x-forwarded-proto")):
            return scheme == "https"
        return request.url.scheme == "https"

    async def enter(self, request: Request, code: str, limit: str) -> Access:
        """Count the request, and say what it may do in the room."""
        self.limiter.take(limit, self.client(request, code))
        return await self.find(request, code)

    async def find(self, request: Request, code: str, command: UUID | None = None) -> Access:
        """What a request that was counted may do in the room, and what was said to its command before."""
        access = await enter(self.store, request, code, command)
        for grant in access.head.grants:
            self.limiter.remember(grant.hash)
        return access

    async def state(self, access: Access) -> RoomState:
        """The room as it is now, for whoever asks."""
        described = await self.store.describe(access.head.id)
        if described is None:
            raise LookupError(f"room {access.head.code} is gone")
        who = you(access)
        if access.head.clock and access.seat is not None and access.seat.faction:
            who.clocks = await self.store.clocks(access.head.id, access.seat.faction)
        return room_state(described, self.hub.presence.connected(access.head.id.hex), who)


def you(access: Access) -> You:
    """Who asks."""
    if access.seat is None or access.seat.seat is None:
        return You(host=access.host)
    return You(host=access.host, seat=access.seat.seat, scope=access.seat.scope)


def context(request: Request) -> Context:
    """The context of the application that a request came to."""
    found: Context = request.app.state.context
    return found


def answer(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A reply struct as JSON."""
    return Response(_encoder.encode(body), status, headers, media_type="application/json")


__all__ = ["Context", "answer", "context", "you"]
