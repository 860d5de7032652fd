"""The FastAPI application: routes, error handlers, and nothing of the framework's own telemetry or documents pages."""

from __future__ import annotations

import re
from traceback import extract_tb
from types import SimpleNamespace
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from services.room.errors import ApiError, malformed
from services.room.http import front, pages, play, rooms, stream
from services.room.http.context import answer
from services.room.http.described import document
from services.room.store.store import StoreDown
from shared.ops.health import Health
from shared.ops.health import answer as health_answer
from shared.ops.logging import get_logger
from shared.ops.service import VERSION

log = get_logger("room.http")


ACTIONS = re.compile(r"/api/rooms/([^/]+)/actions")


class _App(FastAPI):
    """FastAPI, but for the one route that a game consists of: its way through the framework's layers costs more than
    all that the room itself has to compute for an action, and they do nothing for it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = ACTIONS.fullmatch(scope["path"]) if scope.get("method") == "POST" else None
        if found is None:
            await super().__call__(scope, receive, send)
            return
        scope["app"], scope["route"] = self, _ACTIONS_ROUTE
        request = Request(scope, receive)
        try:
            answered = await play.act(request, found[1])
        except ApiError as error:
            answered = front.error_response(error)
        except StoreDown as error:
            answered = await front.on_store_down(request, error)
        except Exception as error:
            await (await _on_failure(request, error))(scope, receive, send)
            raise
        await answered(scope, receive, send)


_ACTIONS_ROUTE = SimpleNamespace(path="/api/rooms/{code}/actions")
"""What the metrics ask of a route."""


def make_app(health: Health) -> FastAPI:
    """The routes without what they work on: set `app.state.context` before the first request."""
    app = _App(
        title="Sietch",
        summary="Rooms, seats, streams and actions of a table.",
        version=VERSION,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        # Recorded exceptions and validation errors could hold what a seat may not know.
        telemetry={"tracing": False, "metrics": False, "logs": False, "operation_spans": False},
        redirect_slashes=False,
    )
    app.state.site = pages.Site()
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    for router in (rooms.router, play.router, stream.router, pages.router):
        app.include_router(router)
    _health_routes(app, health)
    app.add_exception_handler(ApiError, front.on_api_error)
    app.add_exception_handler(StoreDown, front.on_store_down)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(Exception, _on_failure)

    @app.get("/api/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        return answer(document(app))

    return app


def _health_routes(app: FastAPI, health: Health) -> None:
    """What a balancer asks. The metrics are at the ops port alone, never at the door that players come through: counts
    of commands would tell a seat that another one did something in secret."""
    for path in ("/livez", "/readyz"):

        async def get(request: Request) -> Response:
            status, kind, body = await health_answer(health, request.url.path)
            return Response(body, status, media_type=kind)

        app.add_api_route(path, get, methods=["GET"], include_in_schema=False)


async def _on_invalid(_: Request, error: Exception) -> Response:
    found: list[Any] = list(error.errors()) if isinstance(error, RequestValidationError) else []
    where = ", ".join(".".join(str(part) for part in fault["loc"]) for fault in found[:3])
    return front.error_response(malformed(f"This part of the request does not fit: {where or 'unknown'}."))


async def _on_http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    code, text = {
        404: ("not_found", "There is nothing at this address."),
        405: ("not_allowed", "This address does not know that method."),
        413: ("too_large", "The body is too large; see /api/limits."),
    }.get(status, ("failed", "The request could not be handled."))
    answered = front.error_response(ApiError(status, code, text))
    if status == 405:
        answered.headers["allow"] = ", ".join(_methods(request))
    return answered


def _methods(request: Request) -> list[str]:
    """The methods that an address knows: each of them is a route of its own."""
    return sorted(
        method for method in front.METHODS if _is_routed(request, {**request.scope, "method": method})
    )


def _is_routed(request: Request, scope: dict[str, Any]) -> bool:
    return any(route.matches(scope)[0] is Match.FULL for route in request.app.router.routes)


async def _on_failure(request: Request, error: Exception) -> Response:
    route = getattr(request.scope.get("route"), "path", "unknown")
    # Where, not what: the text of an error can hold a row of the store.
    trace = [
        f"{frame.filename}:{frame.lineno} {frame.name}" for frame in extract_tb(error.__traceback__)[-12:]
    ]
    log.error("a request failed", route=route, kind=type(error).__name__, trace=trace)
    return front.error_response(front.internal())
