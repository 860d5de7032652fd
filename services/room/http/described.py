"""OpenAPI for routes that read and write raw JSON: schemas come from the msgspec structs they decode and encode."""

from __future__ import annotations

from typing import Any, get_args, get_origin

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from services.room import bodies
from services.room.http import replies

# OpenAPI documents are free-form JSON: the one border where `Any` is meant.
Json = dict[str, Any]

ERRORS = {
    400: "malformed: the request is not what is described here",
    401: "no token, or none that this room knows",
    403: "the token is valid, but not for this",
    404: "there is no such room, seat or token",
    409: "it does not fit how the room stands now (`stale`: the offer is not open any more)",
    408: "the body did not arrive in time",
    413: "the body is too large",
    422: "refused by a game rule; `rule` and `args` say which",
    429: "too many requests; wait `Retry-After` seconds",
    503: "not ready at the moment; wait `Retry-After` seconds",
}
_REF = "#/components/schemas/{name}"


def described(
    body: type | None = None,
    reply: Any = None,
    status: int = 200,
    errors: tuple[int, ...] = (),
    kinds: tuple[str, ...] = ("application/json",),
) -> Json:
    """Keyword arguments for a route decorator: `body` and `reply` are structs, `errors` the statuses it may give.

    A route that says 401 and 403 needs a token; one that says 401 alone may be asked without.
    """
    content: Json = {} if reply is None else {kind: {"schema": _ref(reply)} for kind in kinds}
    responses: dict[int, Json] = {status: {"description": "done", "content": content}}
    of_body = () if body is None else (400, 408, 413)
    for code in sorted({*errors, *of_body, 429, 503}):
        error = {"application/json": {"schema": _ref(replies.Error)}}
        responses[code] = {"description": ERRORS[code], "content": error}
    extra: Json = {}
    if 401 in errors:
        extra["security"] = [{"token": []}] if 403 in errors else [{}, {"token": []}]
    found: Json = {"responses": responses, "status_code": status, "openapi_extra": extra}
    if body is not None:
        # An empty body stands for `{}`.
        needed = any(field.required for field in msgspec.structs.fields(body))
        request = {"content": {"application/json": {"schema": _ref(body)}}, "required": needed}
        extra["requestBody"] = request
    return found


def _ref(kind: Any) -> Json:
    if kind is str:
        return {"type": "string"}
    if get_origin(kind) is list:
        return {"type": "array", "items": _ref(get_args(kind)[0])}
    return {"$ref": _REF.format(name=kind.__name__)}


def document(app: FastAPI) -> Json:
    """The OpenAPI document of the service, with the schemas of every body and reply."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, routes=app.routes, summary=app.summary)
        kinds = [
            kind
            for module, base in ((bodies, bodies.Body), (replies, replies.Reply))
            for kind in vars(module).values()
            if isinstance(kind, type) and issubclass(kind, base) and kind is not base
        ]
        _, components = msgspec.json.schema_components(kinds, ref_template=_REF)
        schemas = schema.setdefault("components", {}).setdefault("schemas", {})
        schemas.update(components)
        schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        for path in schema["paths"].values():
            for operation in path.values():
                _ours(operation)
        app.openapi_schema = schema
    return app.openapi_schema


def _ours(operation: Json) -> None:
    """A parameter that does not fit is a 400 of ours, not FastAPI's 422; any text can be a code or an offer's id."""
    if any(part["name"] not in ("code", "offer") for part in operation.get("parameters", ())):
        error = {"application/json": {"schema": _ref(replies.Error)}}
        operation["responses"].setdefault("400", {"description": ERRORS[400], "content": error})
    found = operation["responses"].get("422")
    if found and "HTTPValidationError" in str(found):
        del operation["responses"]["422"]
