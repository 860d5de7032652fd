"""`GET /api/rooms/{code}/stream`: server-sent events or lines of JSON; first how things stand, then what changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from services.room.channel import Frame, view_frame
from services.room.errors import ApiError, malformed
from services.room.http.access import Access, enter
from services.room.http.context import Context, context
from services.room.http.described import described
from services.room.http.limits import KEEPALIVE_SECONDS
from services.room.hub import Reader
from services.room.store.store import StoreDown
from shared.ops import tracing

router = APIRouter(prefix="/api", tags=["play"])

# Checked by us, for a reader's own `Last-Event-ID` comes the same way.
Seq = Annotated[str, Query(json_schema_extra={"pattern": "^[0-9]{0,12}$"})]

NDJSON = "application/x-ndjson"
SSE = "text/event-stream"
RETRY_MILLISECONDS = 500
AGAIN_SECONDS = 1.0
"""When the whole view could not be had, it is asked for again after this long."""


class Session:
    """One open stream: what was sent, and what has to be sent now."""

    def __init__(
        self, ctx: Context, request: Request, access: Access, reader: Reader, after: int | None
    ) -> None:
        self._ctx = ctx
        self._request = request
        self._access = access
        self._reader = reader
        self._seq = after
        self._first = True
        self._changes = -1
        self._presence = -1
        self.over = False
        self.hurry = False

    async def frames(self) -> list[Frame]:
        """What is new since the last call. Sets `over` when the stream must end, `hurry` to be called soon again."""
        self.hurry = False
        try:
            found = await self._room_frames()
            if not self.over and self._access.head.state != "lobby":
                found += await self._view_frames()
            return found
        except (ApiError, StoreDown):
            self.hurry = True
            return []

    async def _room_frames(self) -> list[Frame]:
        watch = self._ctx.hub.watch_of(self._reader.room)
        changes, presence = watch.changes, watch.presence
        if (changes, presence) == (self._changes, self._presence):
            return []
        if changes != self._changes and self._changes != -1 and not await self._still_allowed():
            self.over = True
            return []
        state = await self._ctx.state(self._access)
        self._changes, self._presence = changes, presence
        return [Frame("room", msgspec.json.encode(state))]

    async def _still_allowed(self) -> bool:
        """Look the tokens up again: the game may have begun, the seat been freed or the token revoked."""
        try:
            fresh = await enter(self._ctx.store, self._request, self._access.head.code)
        except ApiError:
            return False
        before, self._access = self._access, fresh
        self._reader.lobby = fresh.head.lobby
        return (before.seat and before.seat.id) == (
            fresh.seat and fresh.seat.id
        ) and before.host == fresh.host

    async def _view_frames(self) -> list[Frame]:
        reader = self._reader
        channel = reader.channel or await self._ctx.hub.watch_audience(reader, self._access.audience)
        # A number that the channel has not reached cannot be resumed from: it may come from another time.
        unknown = self._first and self._seq is not None and self._seq > (channel.latest or -1)
        if self._seq is not None and not unknown:
            changes = channel.after(self._seq)
            if changes is not None:
                return self._sent(changes)
        version = max(self._access.head.version, self._ctx.hub.watch_of(reader.room).version)
        view = await channel.whole(version)
        if self._seq is not None and not self._first and view.seq < self._seq:
            self.hurry = True  # a projection that lags behind: what was sent already is newer
            return []
        whole = [] if self._seq == view.seq else [view_frame(view)]
        self._seq = view.seq
        return self._sent(whole + (channel.after(view.seq) or []))

    def _sent(self, frames: list[Frame]) -> list[Frame]:
        self._first = False
        if frames:
            self._seq = frames[-1].seq
        return frames


@router.get("/rooms/{code}/stream", **described(None, str, 200, (400, 401, 404), (SSE, NDJSON)))
async def stream(request: Request, code: str, after: Seq | None = None) -> StreamingResponse:
    """Follow a room as the token's seat, or as a spectator without a token.

    Frames: `room` (as `GET /api/rooms/{code}`) at first and when lobby, seats or connections change; `view`
    (`{"seq","view"}`) when the game runs, and whenever resuming is impossible; `changed` (`{"seq","events","patch"}`,
    an RFC 7386 merge patch on the view before). `after` or `Last-Event-ID` resumes. With `Accept:
    application/x-ndjson` each frame is a line `{"event","data"}`. Comments (SSE) or empty lines (NDJSON) keep the
    connection alive. At `reconnect`, or when the stream ends, connect again.
    """
    ctx = context(request)
    resume = _number(after if after is not None else request.headers.get("last-event-id"))
    access = await ctx.enter(request, code, "stream")
    client = ctx.client(request, code)
    ctx.limiter.open_stream(client)
    lines = NDJSON in request.headers.get("accept", "")
    return _Stream(
        _follow(ctx, request, access, resume, lines),
        media_type=NDJSON if lines else SSE,
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        closed=lambda: ctx.limiter.close_stream(client),
    )


class _Stream(StreamingResponse):
    """A response that says when it is over, even if its client was gone before the first byte."""

    def __init__(self, content: AsyncIterator[bytes], *, closed: Callable[[], None], **options: Any) -> None:
        super().__init__(content, **options)
        self._closed = closed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._closed()


async def _follow(
    ctx: Context, request: Request, access: Access, after: int | None, lines: bool
) -> AsyncIterator[bytes]:
    reader = Reader(access.head.id.hex, access.seat.seat if access.seat else None, access.head.lobby)
    try:
        await ctx.hub.enter(reader)
        session = Session(ctx, request, access, reader, after)
        yield b"\n" if lines else b"retry: %d\n\n" % RETRY_MILLISECONDS
        while not session.over and not ctx.hub.draining:
            reader.wake.clear()
            frames = await session.frames()
            tracing.leave()
            if frames:
                yield b"".join(frame.ndjson if lines else frame.sse for frame in frames)
            if not session.over and not await _woken(
                reader, AGAIN_SECONDS if session.hurry else KEEPALIVE_SECONDS
            ):
                yield b"\n" if lines else b":\n\n"
        end = Frame("reconnect", b"{}")
        yield end.ndjson if lines else end.sse
    finally:
        await asyncio.shield(ctx.hub.leave(reader))


async def _woken(reader: Reader, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await reader.wake.wait()
    except TimeoutError:
        return False
    return True


def _number(text: str | None) -> int | None:
    """The sequence number to resume after. Raises ApiError 400."""
    if text is None or text == "":
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 12:
        raise malformed("`after` is the sequence number of the last frame received.")
    return int(text)
