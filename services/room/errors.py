"""What the room service says when it says no: one exception, one JSON shape, a text for people."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from shared.ops import metrics

REFUSALS = metrics.Children(
    metrics.counter("room_refusals", "What was refused, at which door (http, bot), by code", ("door", "code"))
)


class ApiError(Exception):
    """A refused request. `code` is stable, `text` says what was wrong and what to do, `rule` a rule id or empty."""

    def __init__(
        self,
        status: int,
        code: str,
        text: str,
        *,
        rule: str = "",
        args: Mapping[str, str | int] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(text)
        self.status = status
        self.code = code
        self.text = text
        self.rule = rule
        self.facts = dict(args or {})
        self.retry_after = retry_after

    def body(self) -> bytes:
        """The JSON that a client gets."""
        return msgspec.json.encode(
            {"code": self.code, "text": self.text, "rule": self.rule, "args": self.facts}
        )


def malformed(text: str) -> ApiError:
    """400: the request is not what the API describes."""
    return ApiError(400, "malformed", text)


def no_room(code: str) -> ApiError:
    """404: there is no such room."""
    return ApiError(
        404, "no_room", f"There is no room {code}. Check the code: it has six letters and digits."
    )


def no_token() -> ApiError:
    """401: the room knows no valid token in the request."""
    return ApiError(
        401, "no_token", "This needs a seat or host token of this room; none that is valid was sent."
    )


def forbidden(text: str) -> ApiError:
    """403: the token is valid, but not for this."""
    return ApiError(403, "not_yours", text)


def conflict(code: str, text: str) -> ApiError:
    """409: it does not fit how the room stands now."""
    return ApiError(409, code, text)


def unavailable(text: str, retry_after: float = 1.0) -> ApiError:
    """503: a server behind this one cannot be reached at the moment."""
    return ApiError(503, "unavailable", text, retry_after=retry_after)
