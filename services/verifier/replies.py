"""What must be true of every reply, whatever was asked: judged for each that any check gets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import msgspec

__all__ = ["CLEAR", "INTERNALS", "code_of", "judge", "short"]

CLEAR = frozenset({400, 401, 403, 404, 405, 408, 409, 413, 422, 429})
"""Statuses that tell a client what it did wrong."""

INTERNALS = re.compile(
    r"traceback|\.py\b|psycopg|sqlalchemy|msgspec|pydantic|starlette|fastapi|uvicorn|httptools|\bnats\b|jetstream|"
    r"postgres|python|\bSELECT\b|\bINSERT\b|services\.|shared\.|object at 0x|exception|version \d|/home/|/usr/|/tmp/",
    re.IGNORECASE,
)
"""What no answer to a client may speak of."""


def judge(reply: httpx.Response) -> Iterator[tuple[str, str]]:
    """What is wrong with a reply by itself, each with what was expected."""
    status = reply.status_code
    if INTERNALS.search(str(dict(reply.headers))):
        yield f"a header speaks of what is inside: {dict(reply.headers)}", "headers without names of software"
    if status < 400:
        return
    if status >= 500 and not (status == 503 and "retry-after" in reply.headers):
        yield f"{status} {short(reply)}", "an answer below 500, or 503 with Retry-After"
        return
    if status not in CLEAR and status != 503:
        yield f"{status} {short(reply)}", f"one of {sorted(CLEAR)}"
    if reply.request.method == "HEAD":
        return
    body = _decoded(reply.content)
    if not isinstance(body, dict) or set(body) != {"code", "text", "rule", "args"}:
        yield f"{status} {short(reply)}", "an error with code, text, rule and args"
    elif not (body["code"] and body["text"]):
        yield f"{status} {short(reply)}", "a code and a text for people"
    if INTERNALS.search(reply.text):
        yield (
            f"an error speaks of what is inside: {short(reply)}",
            "an error without names of software or files",
        )
    if status == 429 and not reply.headers.get("retry-after", "").isdigit():
        yield "429 without Retry-After", "Retry-After in whole seconds"


def code_of(reply: httpx.Response) -> str:
    """The code of an error; empty when there is none."""
    body = _decoded(reply.content)
    return str(body.get("code", "")) if isinstance(body, dict) else ""


def short(reply: httpx.Response) -> str:
    """The beginning of a body, in one line."""
    text = " ".join(reply.text.split())
    return text if len(text) < 200 else text[:200] + "…"


def _decoded(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        return None
