"""Routes: the view of a seat, answers to offers, trying an answer, and staged tables."""

from __future__ import annotations

from uuid import uuid4

import msgspec
from fastapi import APIRouter, Request
from msgspec import Raw
from starlette.responses import Response

from services.room.acting import outcome, refusal
from services.room.bodies import Action, Check, Expire, Scenario, decode
from services.room.channel import whole_view
from services.room.errors import ApiError
from services.room.http.access import Access, read_body
from services.room.http.context import Context, answer, context
from services.room.http.described import described
from services.room.http.limits import SCENARIO_BYTES
from services.room.http.replies import (
    Explanation,
    Explanations,
    History,
    HistoryCommit,
    Ok,
    Staged,
    Table,
    Whole,
    WholeOffer,
)
from shared.dune.sentences import of_rules
from shared.wire.messages import AnswerOffer, ExpireOffer, Refused

HISTORY_PAGE = 500
"""Commits on one page of a finished game's history."""

router = APIRouter(prefix="/api", tags=["play"])


@router.post("/rooms/{code}/actions", **described(Action, Ok, 200, (400, 401, 403, 404, 409, 413, 422)))
async def act(request: Request, code: str) -> Response:
    """Answer an offer of your seat.

    The same `command_id` with the same answer gets the stored outcome and acts only once, so that after a lost
    connection you simply send it again; with another answer it is a conflict. A refused answer
    changed nothing and is not stored.
    """
    ctx = context(request)
    asks = ctx.ask(request, code, "act")
    action: Action = decode(await read_body(request), Action)
    access = await ctx.find(asks, action.command_id)
    seat = access.playing()
    command = AnswerOffer(seat, action.offer, action.answer)
    reply = await ctx.desk.decide(access.head, seat, command, action.command_id, token=access.token)
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


@router.get("/rooms/{code}/offers/{offer}", **described(None, WholeOffer, 200, (401, 403, 404, 409)))
async def get_offer(request: Request, code: str, offer: str) -> Response:
    """The whole of one offer of your seat, its choice included: the view lists standing offers in short."""
    ctx = context(request)
    access = await ctx.enter(request, code, "read")
    found = await ctx.desk.describe(access.head, access.playing(), offer)
    if found is None:
        raise ApiError(409, "stale", "This offer is not open for you (any more); look at the table again.")
    return answer(WholeOffer(Raw(found)))


@router.get("/rooms/{code}/why", **described(None, Explanations, 200, (401, 403, 404, 409)))
async def get_why(request: Request, code: str) -> Response:
    """Why numbers are what they are for your seat now: prices, limits, collection, strengths, what victory needs.

    Another seat's are not to be had: the token says whose are told.
    """
    ctx = context(request)
    access = await ctx.enter(request, code, "read")
    why = await ctx.desk.explain(access.head, access.playing())
    found = msgspec.json.decode(why, type=list[Explanation])
    return answer(Explanations(found, of_rules(line.rule for one in found for line in one.lines)))


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
async def get_table(request: Request, code: str, after: int = 0) -> Response:
    """Everything about a scenario's table, secrets included (host; scenario rooms only).

    With it come the events of the commits after the commit `after`: all of them, unless it is stated.
    """
    ctx = context(request)
    head = (await _as_scenario_host(ctx, request, code)).head
    view = await whole_view(ctx.bus, head.id.hex, "table", head.version)
    commits = await ctx.store.commits(head.id, max(after, 0), 100_000)
    events = [Raw(event) for _, events, _, _ in commits for event in events]
    return answer(Table(view.view, events, commits[-1][0] if commits else head.version))


@router.post(
    "/rooms/{code}/expire",
    **described(Expire, Ok, 200, (400, 401, 403, 404, 409, 413, 422)),
    tags=["scenarios"],
)
async def expire(request: Request, code: str) -> Response:
    """Let the clock of an open offer run out now: its default is played (host; scenario rooms only)."""
    ctx = context(request)
    access = await _as_scenario_host(ctx, request, code)
    wish: Expire = decode(await read_body(request), Expire)
    reply = await ctx.desk.decide(access.head, wish.seat, ExpireOffer(wish.seat, wish.offer), uuid4())
    return Response(outcome(reply), media_type="application/json")


async def _as_scenario_host(ctx: Context, request: Request, code: str) -> Access:
    """Raises ApiError 401 or 403 unless a host token was shown, 404 unless this is a scenario's room."""
    access = await ctx.enter(request, code, "read")
    access.as_host()
    if not (ctx.settings.scenarios and access.head.scenario):
        raise ApiError(404, "no_scenarios", "Only the room of a scenario can do this.")
    return access
