"""Routes: rooms, seats, settings, start, tokens, the directory and the limits."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from services.room.bodies import (
    AddBot,
    Autopilot,
    ChangeSeat,
    CreateRoom,
    GameSettings,
    Join,
    NewToken,
    Start,
    decode,
)
from services.room.http.access import read_body, set_cookie
from services.room.http.context import answer, context
from services.room.http.described import described
from services.room.http.options import offered
from services.room.http.replies import Created, Issued, Joined, Limits, Listed, Ok, Options, RoomState, Seated
from services.room.rooms import RULESET

router = APIRouter(prefix="/api", tags=["rooms"])


@router.post("/rooms", **described(CreateRoom, Created, 201, (400, 409, 413)))
async def create_room(request: Request) -> Response:
    """Make a room; with `player`, sit down at once. The tokens are also kept in a cookie of the room.

    The same `command_id` again gets the same room, with further tokens; 409 where it was used for something else.
    """
    ctx = context(request)
    ctx.limiter.take("create", ctx.address(request))
    wish = decode(await read_body(request), CreateRoom)
    code, host, seated = await ctx.rooms.create(wish)
    made = Created(code, host)
    tokens = [host]
    if seated is not None:
        made.seat, made.seat_token = seated
        tokens.insert(0, seated[1])
    cookie = set_cookie(request, code, tokens, ctx.is_secure(request))
    return answer(made, 201, {"set-cookie": cookie})


@router.get("/rooms", **described(None, list[Listed], 200, (400,)))
async def list_rooms(
    request: Request, state: Literal["lobby", "running", "finished"] | None = None
) -> Response:
    """The directory: the newest rooms, at most 200."""
    ctx = context(request)
    ctx.limiter.take("read", ctx.address(request))
    rows = await ctx.lobbies.directory(state)
    return answer(
        [
            Listed(
                code=room.code,
                name=room.name,
                state=room.state,  # type: ignore[arg-type]  # a check constraint of the table
                mode=room.settings["mode"],
                seats=room.settings["seats"],
                players=players,
                turn=room.turn,
                phase=room.phase,
                created_at=room.created_at.isoformat(timespec="seconds"),
            )
            for room, players in rows
        ]
    )


@router.get("/rooms/{code}", **described(None, RoomState, 200, (401, 404)))
async def get_room(request: Request, code: str) -> Response:
    """A room: its settings, its seats, and who you are in it."""
    ctx = context(request)
    return answer(await ctx.state(await ctx.enter(request, code, "read")))


@router.post("/rooms/{code}/seats", **described(Join, Joined, 201, (400, 401, 404, 409, 413)))
async def join(request: Request, code: str) -> Response:
    """Sit down at the first free seat, in the lobby only. 409: full, faction taken, or started.

    The same `command_id` again gets the same seat, with a further token.
    """
    ctx = context(request)
    ctx.limiter.take("join", ctx.address(request))
    wish = decode(await read_body(request), Join)
    access = await ctx.enter(request, code, "lobby")
    seat, token = await ctx.rooms.join(access.head.code, wish)
    secure = ctx.is_secure(request)
    cookie = set_cookie(request, access.head.code, [token], secure, access.head.grants)
    return answer(Joined(seat, token), 201, {"set-cookie": cookie})


@router.post("/rooms/{code}/bots", **described(AddBot, Seated, 201, (400, 401, 403, 404, 409)))
async def add_bot(request: Request, code: str) -> Response:
    """Let a bot play the first free seat (host, lobby). The same `command_id` again gets the same seat."""
    ctx = context(request)
    access = await ctx.enter(request, code, "lobby")
    access.as_host()
    wish = decode(await read_body(request), AddBot)
    return answer(Seated(await ctx.rooms.add_bot(access.head.code, wish)), 201)


@router.patch("/rooms/{code}/seats/{seat}", **described(ChangeSeat, Ok, 200, (400, 401, 403, 404, 409)))
async def change_seat(request: Request, code: str, seat: int) -> Response:
    """Change a seat's name, wished faction or readiness (the seat itself, or the host)."""
    ctx = context(request)
    access = await ctx.enter(request, code, "lobby")
    access.over(seat)
    await ctx.rooms.change_seat(access.head.code, seat, decode(await read_body(request), ChangeSeat))
    return answer(Ok())


@router.put(
    "/rooms/{code}/seats/{seat}/autopilot", **described(Autopilot, Ok, 200, (400, 401, 403, 404, 409))
)
async def set_autopilot(request: Request, code: str, seat: int) -> Response:
    """Let a bot answer for a seat while its game runs, or take it back (the seat itself, not the host).

    Its player may go on answering as well: who is first counts. What is open stays open, either way.
    """
    ctx = context(request)
    access = await ctx.enter(request, code, "lobby")
    access.own(seat)
    wish = decode(await read_body(request), Autopilot)
    await ctx.rooms.set_autopilot(access.head.code, seat, wish.policy)
    return answer(Ok())


@router.delete("/rooms/{code}/seats/{seat}", **described(None, Ok, 200, (401, 403, 404, 409)))
async def leave(request: Request, code: str, seat: int) -> Response:
    """Free a seat in the lobby (the seat itself, or the host). Its tokens are revoked."""
    ctx = context(request)
    access = await ctx.enter(request, code, "lobby")
    access.over(seat)
    await ctx.rooms.leave(access.head.code, seat)
    return answer(Ok())


@router.patch("/rooms/{code}/settings", **described(GameSettings, Ok, 200, (400, 401, 403, 404, 409)))
async def change_settings(request: Request, code: str) -> Response:
    """Change settings in the lobby (host); what the body leaves out stays. Nobody is ready any more after it."""
    ctx = context(request)
    access = await ctx.enter(request, code, "lobby")
    access.as_host()
    await ctx.rooms.change_settings(access.head.code, await read_body(request))
    return answer(Ok())


@router.post("/rooms/{code}/start", **described(Start, Ok, 200, (400, 401, 403, 404, 409, 422)))
async def start(request: Request, code: str) -> Response:
    """Begin the game (host). Everybody must be ready unless `force`. The same `command_id` again is no conflict."""
    ctx = context(request)
    access = await ctx.enter(request, code, "lobby")
    access.as_host()
    await ctx.rooms.start(access.head.code, decode(await read_body(request), Start))
    return answer(Ok())


@router.post(
    "/rooms/{code}/seats/{seat}/tokens", **described(NewToken, Issued, 201, (400, 401, 403, 404, 409))
)
async def issue_token(request: Request, code: str, seat: int) -> Response:
    """A further token of a seat, for a bot or a second device (the seat itself: a host sees no other hand).

    409: the seat has `tokens_per_seat` of them already (see `/api/limits`); revoke one first.
    """
    ctx = context(request)
    access = await ctx.enter(request, code, "lobby")
    access.own(seat)
    wish = decode(await read_body(request), NewToken)
    text, token_id = await ctx.rooms.issue(access.head.code, seat, wish.scope)
    return answer(Issued(text, str(token_id)), 201)


@router.delete("/rooms/{code}/seats/{seat}/tokens/{id}", **described(None, Ok, 200, (401, 403, 404)))
async def revoke_token(
    request: Request, code: str, seat: int, token: Annotated[UUID, Path(alias="id")]
) -> Response:
    """Revoke a token of a seat (the seat itself) by its id; streams that it opened end."""
    ctx = context(request)
    access = await ctx.enter(request, code, "lobby")
    access.own(seat)
    await ctx.rooms.revoke(access.head.code, seat, token)
    return answer(Ok())


@router.get("/options", **described(None, Options, 200))
async def options(request: Request) -> Response:
    """What a room may be set to, by the names that people read."""
    ctx = context(request)
    ctx.limiter.take("read", ctx.address(request))
    return answer(offered(RULESET))


@router.get("/limits", **described(None, Limits, 200))
async def limits(request: Request) -> Response:
    """Every limit that a client can run into."""
    return answer(context(request).limiter.published())
