"""What every route works with: one object, made when the service starts."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from services.room.decide import Desk
from services.room.http.access import Access, Shown, shown
from services.room.http.limits import Limiter
from services.room.http.replies import RoomState, You
from services.room.hub import Hub
from services.room.rooms import Rooms
from services.room.settings import RoomSettings
from services.room.state import room_state
from services.room.store.cold import ColdLobbies
from services.room.store.store import Store
from shared.wire.client import Bus

_encoder = msgspec.json.Encoder()


@dataclass
class Context:
    """The parts of a running room service."""

    settings: RoomSettings
    bus: Bus
    store: Store
    lobbies: ColdLobbies
    desk: Desk
    hub: Hub
    rooms: Rooms
    limiter: Limiter

    def address(self, request: Request) -> str:
        """The client's address: of the connection, or what the trusted proxy in front saw."""
        # The last word of the last line is the proxy's own; what stands before it anybody may have sent.
        if self.settings.trust_proxy and (forwarded := request.headers.getlist("x-forwarded-for")):
            return forwarded[-1].rpartition(",")[2].strip()
        return request.client.host if request.client else "unknown"

    def client(self, request: Request, code: str) -> str:
        """Whom limits count: the first token that the request shows and that was valid before, else its address.

        An invented token counts as none: whoever made a new one for each request would have no limit.
        """
        return self._client(request, shown(request, code))

    def _client(self, request: Request, asks: Shown) -> str:
        found = next((hash_ for hash_ in asks.hashes if self.limiter.knows(hash_)), None)
        return self.address(request) if found is None else found.hex()

    def is_secure(self, request: Request) -> bool:
        """Whether the client came by HTTPS."""
        if self.settings.trust_proxy and (schemes := request.headers.getlist("x-forwarded-proto")):
            return schemes[-1].rpartition(",")[2].strip() == "https"
        return request.url.scheme == "https"

    async def enter(self, request: Request, code: str, limit: str) -> Access:
        """Count the request, and say what it may do in the room."""
        asks = shown(request, code)
        self.limiter.take(limit, self._client(request, asks))
        return self._known(asks.admitted(await self.store.head(asks.code, asks.hashes)))

    def ask(self, request: Request, code: str, limit: str) -> Shown:
        """Count a request whose body says more; `find` then lets it in."""
        asks = shown(request, code)
        self.limiter.take(limit, self._client(request, asks))
        return asks

    async def find(self, asks: Shown, command: UUID) -> Access:
        """What a request that was counted may do for a command: by what is remembered, if possible."""
        return self._known(asks.admitted(await self.desk.head(asks.code, asks.hashes, command)))

    def _known(self, access: Access) -> Access:
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
