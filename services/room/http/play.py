"""Routes: the view of a seat, answers to offers, trying an answer, and staged tables."""

from __future__ import annotations

from fastapi import APIRouter, Request
from msgspec import Raw
from starlette.responses import Response

from services.room.acting import outcome, refusal
from services.room.bodies import Action, Check, Scenario, decode
from services.room.channel import whole_view
from services.room.errors import ApiError
from services.room.http.access import enter, read_body
from services.room.http.context import answer, context
from services.room.http.described import described
from services.room.http.limits import SCENARIO_BYTES
from services.room.http.replies import History, HistoryCommit, Ok, Staged, Table, Whole
from shared.wire.messages import AnswerOffer, Refused

HISTORY_PAGE = 500
"""Commits on one page of a finished game's history."""

router = APIRouter(prefix="/api", tags=["play"])


@router.post("/rooms/{code}/actions", **described(Action, Ok, 200, (400, 401, 403, 404, 409, 413, 422)))
async def act(request: Request, code: str) -> Response:
    """Answer an offer of your seat.

    The same `command_id` again gets the stored outcome and acts only once, so that after a lost connection you
    simply send it again. A refused answer changed nothing and is not stored.
    """
    ctx = context(request)
    ctx.limiter.take("act", ctx.client(request, code))
    action: Action = decode(await read_body(request), Action)
    access = await enter(ctx.store, request, code, action.command_id)
    seat = access.playing()
    command = AnswerOffer(seat, action.offer, action.answer)
    reply = await ctx.desk.decide(access.head, seat, command, action.command_id)
    return Response(outcome(reply), media_type="application/json")


@router.post("/rooms/{code}/check", **described(Check, Ok, 200, (400, 401, 403, 404, 409, 413, 422)))
async def check(request: Request, code: str) -> Response:
    """Try an answer without playing it: 200 if it would be accepted now, else the refusal."""
    ctx = context(request)
    access = await ctx.enter(request, code, "act")
    seat = access.playing()
    wish: Check = decode(await read_body(request), Check)
    reply = await ctx.desk.check(access.head, AnswerOffer(seat, wish.offer, wish.answer))
    if isinstance(reply, Refused):
        raise refusal(reply)
    return answer(Ok())


@router.get("/rooms/{code}/view", **described(None, Whole, 200, (401, 404, 409)))
async def get_view(request: Request, code: str) -> Response:
    """The whole view of the token's seat, or of a spectator without a token."""
    ctx = context(request)
    access = await ctx.enter(request, code, "read")
    if access.head.state == "lobby":
        raise ApiError(409, "not_started", "The game has not begun.")
    view = await whole_view(ctx.bus, access.head.id.hex, access.audience, access.head.version)
    return answer(Whole(view.seq, view.view, view.log))


@router.get("/rooms/{code}/history", **described(None, History, 200, (401, 404, 409)))
async def get_history(request: Request, code: str, after: int = 0) -> Response:
    """The commits of a finished game, all secrets included, 500 at a time: those after the commit `after`."""
    ctx = context(request)
    access = await ctx.enter(request, code, "read")
    if access.head.state != "finished":
        raise ApiError(409, "not_finished", "The whole history is open when the game is over.")
    commits = await ctx.store.commits(access.head.id, max(after, 0), HISTORY_PAGE)
    rows = [HistoryCommit(version, [Raw(event) for event in events]) for version, events, _, _ in commits]
    return answer(History(rows, len(rows) == HISTORY_PAGE))


@router.post("/scenarios", **described(Scenario, Staged, 201, (400, 404, 413, 422)), tags=["scenarios"])
async def stage(request: Request) -> Response:
    """Make a room that stands as the `[table]` of a case says (only with `SIETCH_SCENARIOS=1`, else 404)."""
    ctx = context(request)
    if not ctx.settings.scenarios:
        ctx.limiter.take("create", ctx.address(request))
    wish: Scenario = decode(await read_body(request, SCENARIO_BYTES), Scenario)
    code, host, tokens = await ctx.rooms.stage(wish.table)
    return answer(Staged(code, host, tokens), 201)


@router.get("/rooms/{code}/table", **described(None, Table, 200, (401, 403, 404)), tags=["scenarios"])
async def get_table(request: Request, code: str) -> Response:
    """Everything about a scenario's table, secrets included, and every event (host; scenario rooms only)."""
    ctx = context(request)
    access = await ctx.enter(request, code, "read")
    head = access.head
    if not (ctx.settings.scenarios and head.scenario):
        raise ApiError(404, "no_scenarios", "Only a scenario's room shows its whole table.")
    access.as_host()
    view = await whole_view(ctx.bus, head.id.hex, "table", head.version)
    events = [
        Raw(event) for _, events, _, _ in await ctx.store.commits(head.id, 0, 100_000) for event in events
    ]
    return answer(Table(view.view, events))
