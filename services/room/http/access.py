"""Who asks: tokens from the Authorization header or the room's cookie, and what they allow."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.requests import ClientDisconnect, Request

from services.room.errors import ApiError, forbidden, malformed, no_room, no_token
from services.room.http.limits import BODY_BYTES, BODY_SECONDS
from services.room.ids import CODE_LENGTH, CODE_LETTERS, token_hash
from services.room.store.store import Grant, Head, Store

TOKENS_AT_ONCE = 8
"""How many tokens of one room a request may show: more than a room has seats, and the host's."""
SPARE_BYTES = 1024 * 1024
"""A body up to this size is read to its end though it is refused: cut off before, its sender might miss the answer."""
COOKIE_SECONDS = 90 * 86_400


@dataclass(frozen=True, slots=True)
class Access:
    """A room, and what the tokens in a request allow in it."""

    head: Head
    host: bool
    seat: Grant | None

    @property
    def token(self) -> bytes | None:
        """The hash of the seat's token; None for whoever showed none."""
        return self.seat.hash if self.seat else None

    @property
    def audience(self) -> str:
        """Whose view this is: the seat's faction, or that of a spectator."""
        return (self.seat.faction if self.seat else None) or "spectator"

    def as_host(self) -> None:
        """Raises ApiError 401 or 403 unless a host token was shown."""
        if not self.host:
            raise forbidden("Only the host of the room may do this.") if self.seat else no_token()

    def over(self, seat: int) -> None:
        """Raises ApiError 401 or 403 unless this is the seat's own playing token, or the host's."""
        if self.host or (self.seat and self.seat.seat == seat and self.seat.scope == "seat:play"):
            return
        raise forbidden("Only the seat itself or the host may do this.") if self.seat else no_token()

    def own(self, seat: int) -> None:
        """Raises ApiError 401 or 403 unless this is the seat's own playing token."""
        if self.seat and self.seat.seat == seat and self.seat.scope == "seat:play":
            return
        raise forbidden("Only the seat itself may do this.") if self.seat or self.host else no_token()

    def playing(self) -> str:
        """The faction that this request may act for. Raises ApiError 401, 403 or 409."""
        if self.seat is None:
            raise (
                forbidden("The host's token plays no seat; use a seat's token.") if self.host else no_token()
            )
        if self.seat.scope != "seat:play":
            raise forbidden("This token may only watch.")
        if self.head.state == "lobby" or self.seat.faction is None:
            raise ApiError(409, "not_started", "The game has not begun.")
        return self.seat.faction


def room_code(code: str) -> str:
    """The code as it is stored. Raises ApiError 404 for what cannot be one."""
    code = code.upper()
    if len(code) != CODE_LENGTH or any(letter not in CODE_LETTERS for letter in code):
        raise no_room(code[:12])
    return code


def cookie_name(code: str) -> str:
    """The cookie that keeps a browser's tokens of one room, joined by dots."""
    return f"sietch_{code}"


def tokens_of(request: Request, code: str) -> tuple[list[str], bool]:
    """The tokens that a request shows, and whether it showed them in a header."""
    header = request.headers.get("authorization", "")
    scheme, _, value = header.partition(" ")
    if header:
        if scheme.lower() != "bearer" or not value.strip():
            raise ApiError(401, "no_token", "The Authorization header must read: Bearer <token>.")
        return value.strip().split(".")[:TOKENS_AT_ONCE], True
    cookie = request.cookies.get(cookie_name(code), "")
    return [token for token in cookie.split(".")[:TOKENS_AT_ONCE] if token], False


@dataclass(frozen=True, slots=True)
class Shown:
    """What a request shows at a room's door: the room's code, the hashes of its tokens, and where they stood."""

    code: str
    hashes: tuple[bytes, ...]
    by_header: bool

    def admitted(self, head: Head | None) -> Access:
        """What it may do. Raises ApiError 404 without such a room, 401 for a header that is not valid."""
        if head is None:
            raise no_room(self.code)
        access = access_of(head)
        if self.by_header and not access.host and access.seat is None:
            raise no_token()
        return access


def shown(request: Request, code: str) -> Shown:
    """What a request shows. Raises ApiError 404 for what cannot be a code, 401 for a header that makes no sense."""
    code = room_code(code)
    tokens, by_header = tokens_of(request, code)
    return Shown(code, tuple(token_hash(token) for token in tokens), by_header)


async def enter(store: Store, request: Request, code: str) -> Access:
    """The room as the store has it, and what the request may do in it. Raises ApiError 401 and 404."""
    asks = shown(request, code)
    return asks.admitted(await store.head(asks.code, asks.hashes))


def access_of(head: Head) -> Access:
    """What the valid tokens allow together: of several seats' tokens a playing one goes first."""
    seats = sorted(
        (g for g in head.grants if g.seat is not None), key=lambda g: (g.scope != "seat:play", g.seat)
    )
    return Access(head, any(g.scope == "room:host" for g in head.grants), seats[0] if seats else None)


def set_cookie(
    request: Request, code: str, tokens: list[str], secure: bool, grants: tuple[Grant, ...] = ()
) -> str:
    """A Set-Cookie value that adds tokens to those that the browser has for this room (the newest go first).

    Of the latter, those of `grants` stay: others are worth nothing any more, and would crowd out the host's.
    """
    shown, by_header = tokens_of(request, code)
    valid = {grant.hash for grant in grants}
    kept = [] if by_header else [token for token in shown if token_hash(token) in valid]
    value = ".".join(dict.fromkeys([*tokens, *kept][:TOKENS_AT_ONCE]))
    return (
        f"{cookie_name(code)}={value}; Path=/api/rooms/{code}; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Lax"
        + ("; Secure" if secure else "")
    )


async def read_body(request: Request, limit: int = BODY_BYTES) -> bytes:
    """The body of a JSON request. Raises ApiError 400 for another type, 413 when it is larger than `limit` bytes."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > SPARE_BYTES:
        raise too_large(limit)
    body, size = bytearray(), 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                size += len(chunk)
                if size > SPARE_BYTES:
                    raise too_large(limit)
                if size <= limit:
                    body += chunk
    except TimeoutError:
        raise ApiError(408, "too_slow", f"The body did not arrive within {BODY_SECONDS:g} seconds.") from None
    except ClientDisconnect:
        raise malformed("The body did not arrive whole.") from None
    if size > limit:
        raise too_large(limit)
    # A form of another site can send text/plain without asking; JSON it cannot.
    if body and kind != "application/json":
        raise malformed("Send the body as application/json.")
    return bytes(body)


def too_large(limit: int) -> ApiError:
    """413."""
    return ApiError(413, "too_large", f"The body may have at most {limit} bytes.")
