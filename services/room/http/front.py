"""In front of every route: security headers, the origin check, metrics, and errors as the API describes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from opentelemetry.trace import SpanKind
from starlette.requests import Request
from starlette.responses import Response

from services.room.errors import REFUSALS, ApiError, forbidden, malformed, unavailable
from shared.ops import metrics, tracing
from shared.ops.logging import get_logger
from shared.ops.stages import Stage, Step

# The ASGI border: its messages are plain dictionaries by specification.
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

log = get_logger("room.http")

REQUEST = Stage("room.http", "HTTP requests", ("route", "method", "status"), SpanKind.SERVER)

FAILURES = metrics.counter("room_http_failures", "Requests that failed by a fault of ours (see the log)")

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SECURITY_HEADERS = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
)
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class Front:
    """The outermost ASGI layer of the room service."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request (or hand the lifespan on)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with tracing.continued(_trace_of(scope)), REQUEST() as step:
            _say(step, scope, 500)

            async def sending(message: Message) -> None:
                if message["type"] == "http.response.start":
                    _say(step, scope, message["status"])
                    message = {**message, "headers": _headers(message)}
                    if step.said[0].endswith("/stream"):
                        step.end()  # a stream lasts as long as its reader likes: only its opening counts
                await send(message)

            try:
                request = Request(scope)
                check_origin(request)
                check_no_body(request)
                await self._app(scope, receive, sending)
            except ApiError as error:
                await error_response(error)(scope, receive, sending)
            except Exception:  # noqa: BLE001 - answered and logged by the application, which then raises it again
                FAILURES.inc()


def _trace_of(scope: Scope) -> dict[str, str] | None:
    """The trace that a client says its request belongs to; its `tracestate` is of no use to us."""
    for name, value in scope["headers"]:
        if name == b"traceparent":
            return {tracing.HEADER: value.decode("latin-1")}
    return None


def _say(step: Step, scope: Scope, status: int) -> None:
    method = scope["method"] if scope["method"] in METHODS else "other"
    step.say(getattr(scope.get("route"), "path", metrics.OTHER), method, str(status))


def _headers(message: Message) -> list[tuple[bytes, bytes]]:
    """The headers of a response, with those that every response has."""
    headers = list(message.get("headers", ()))
    names = {name for name, _ in headers}
    headers += [(name, value) for name, value in SECURITY_HEADERS if name not in names]
    if b"cache-control" not in names:
        headers.append((b"cache-control", b"no-store"))
    span = tracing.current()
    if span is not None:
        headers.append((b"traceresponse", tracing.traceparent(span).encode()))
    return headers


METHODS = frozenset({"GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"})


def check_origin(request: Request) -> None:
    """Refuse a write that a page of another site sends with this site's cookies. Raises ApiError 403."""
    if request.method in SAFE:
        return
    origin = request.headers.get("origin")
    if origin is not None and _site_of(origin) != request.headers.get("host"):
        raise forbidden("This request comes from a page of another site.")
    if request.headers.get("sec-fetch-site") == "cross-site":
        raise forbidden("This request comes from a page of another site.")


def check_no_body(request: Request) -> None:
    """Refuse a body with what only reads: a stream would take it in for as long as it lasts. Raises ApiError 400."""
    if request.method not in SAFE:
        return
    headers = request.headers
    if "transfer-encoding" in headers or headers.get("content-length", "0") != "0":
        raise malformed(f"A {request.method} request has no body here.")


def _site_of(origin: str) -> str | None:
    """Host and port of an origin; None for what is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def error_response(error: ApiError) -> Response:
    """An ApiError as HTTP."""
    REFUSALS["http", error.code].inc()
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(max(1, round(error.retry_after + 0.49)))
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(error.body(), error.status, headers, media_type="application/json")


async def on_api_error(_: Request, error: Exception) -> Response:
    """FastAPI's handler for ApiError."""
    return error_response(error) if isinstance(error, ApiError) else error_response(internal())


async def on_store_down(_: Request, error: Exception) -> Response:
    """FastAPI's handler for a database that is away."""
    log.warning("the store is away", reason=str(error))
    return error_response(unavailable("The database cannot be reached at the moment; try again."))


def internal() -> ApiError:
    """500, without a word about why."""
    return ApiError(
        500, "internal", "Something failed here; nothing was changed by this request as far as known."
    )


__all__ = [
    "CSP",
    "Front",
    "check_no_body",
    "check_origin",
    "error_response",
    "internal",
    "on_api_error",
    "on_store_down",
]
