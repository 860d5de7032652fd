"""Who may do what: every operation of the API with every kind of token, in a running room and in a lobby."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple
from uuid import UUID, uuid4

__all__ = [
    "KINDS",
    "LOBBY",
    "RUNNING",
    "TABLE",
    "Asked",
    "Place",
    "Row",
    "body_of",
    "expected",
    "with_tokens",
]

KINDS = ("none", "invented", "revoked", "foreign host", "foreign seat", "host", "own", "other", "observe")
TABLE = {"seats": ["atreides", "harkonnen"], "phase": "storm"}

Row = tuple[str, str, object, str]
"""Method, path below /api, body, statuses: no token, an invalid one, the host's, the seat's, another's, observe."""

RUNNING: list[Row] = [
    ("post", "/rooms", {"name": "x"}, "201 201 201 201 201 201"),
    ("get", "/rooms", None, "200 200 200 200 200 200"),
    ("get", "/limits", None, "200 200 200 200 200 200"),
    ("get", "/options", None, "200 200 200 200 200 200"),
    ("get", "/rooms/{code}", None, "200 401 200 200 200 200"),
    ("post", "/rooms/{code}/seats", {"name": "x"}, "409 401 409 409 409 409"),
    ("post", "/rooms/{code}/bots", {}, "401 401 409 403 403 403"),
    ("patch", "/rooms/{code}/seats/{seat}", {"name": "x"}, "401 401 200 200 403 403"),
    ("put", "/rooms/{code}/seats/{seat}/autopilot", {"policy": None}, "401 401 403 200 403 403"),
    ("delete", "/rooms/{code}/seats/{seat}", None, "401 401 409 409 403 403"),
    ("patch", "/rooms/{code}/settings", {"last_turn": 3}, "401 401 409 403 403 403"),
    ("post", "/rooms/{code}/start", {}, "401 401 409 403 403 403"),
    ("post", "/rooms/{code}/seats/{seat}/tokens", {"scope": "seat:play"}, "401 401 403 201 403 403"),
    ("delete", "/rooms/{code}/seats/{seat}/tokens/{id}", None, "401 401 403 404 403 403"),
    ("post", "/rooms/{code}/actions", "action", "401 401 403 409 409 403"),
    ("post", "/rooms/{code}/check", "check", "401 401 403 409 409 403"),
    ("get", "/rooms/{code}/offers/{offer}", None, "401 401 403 409 409 403"),
    ("get", "/rooms/{code}/why", None, "401 401 403 200 200 403"),
    ("get", "/rooms/{code}/view", None, "200 401 200 200 200 200"),
    ("get", "/rooms/{code}/stream", None, "200 401 200 200 200 200"),
    ("get", "/rooms/{code}/history", None, "409 401 409 409 409 409"),
    ("get", "/rooms/{code}/table", None, "401 401 200 403 403 403"),
    ("post", "/rooms/{code}/expire", {"seat": "atreides", "offer": "no"}, "401 401 409 403 403 403"),
    ("post", "/scenarios", {"table": TABLE}, "201 201 201 201 201 201"),
]
LOBBY: list[Row] = [
    ("get", "/rooms/{code}", None, "200 401 200 200 200 200"),
    ("post", "/rooms/{code}/seats", {"name": "x", "faction": "guild"}, "409 401 409 409 409 409"),
    ("post", "/rooms/{code}/bots", {"faction": "guild"}, "401 401 409 403 403 403"),
    ("patch", "/rooms/{code}/seats/{seat}", {"ready": True}, "401 401 200 200 403 403"),
    ("put", "/rooms/{code}/seats/{seat}/autopilot", {"policy": "easy"}, "401 401 403 409 403 403"),
    ("patch", "/rooms/{code}/settings", {"last_turn": 3}, "401 401 200 403 403 403"),
    ("post", "/rooms/{code}/start", {"force": False}, "401 401 409 403 403 403"),
    ("post", "/rooms/{code}/seats/{seat}/tokens", {"scope": "seat:observe"}, "401 401 403 201 403 403"),
    ("post", "/rooms/{code}/actions", "action", "401 401 403 409 409 403"),
    ("post", "/rooms/{code}/check", "check", "401 401 403 409 409 403"),
    ("get", "/rooms/{code}/offers/{offer}", None, "401 401 403 409 409 403"),
    ("get", "/rooms/{code}/why", None, "401 401 403 409 409 403"),
    ("get", "/rooms/{code}/view", None, "409 401 409 409 409 409"),
    ("get", "/rooms/{code}/stream", None, "200 401 200 200 200 200"),
    ("get", "/rooms/{code}/history", None, "409 401 409 409 409 409"),
    ("get", "/rooms/{code}/table", None, "401 401 404 403 403 403"),
    ("post", "/rooms/{code}/expire", {"seat": "guild", "offer": "no"}, "401 401 404 403 403 403"),
]


class Place:
    """A room with tokens of every kind."""

    def __init__(self, code: str, seat: int, tokens: dict[str, str]) -> None:
        self.code = code
        self.seat = seat
        self.tokens = tokens

    def filled(self, path: str) -> str:
        """A path of the document with this room's values in it."""
        names = {"code": self.code, "seat": str(self.seat), "id": str(UUID(int=7)), "offer": "no-such"}
        for name, value in names.items():
            path = path.replace("{" + name + "}", value)
        return path


class Asked(NamedTuple):
    """A request that is needed for a place: path below /api, and the status that it must get."""

    method: str
    path: str
    body: object
    token: str
    status: int


def with_tokens(
    code: str, seat: int, own: str, other: str, host: str, foreign_host: str, foreign_seat: str
) -> Generator[Asked, dict[str, str], Place]:
    """A room with a token of every kind: whoever drives it sends each request and hands back the reply's body."""
    path = f"/rooms/{code}/seats/{seat}/tokens"
    observe = yield Asked("POST", path, {"scope": "seat:observe"}, own, 201)
    revoked = yield Asked("POST", path, {"scope": "seat:play"}, own, 201)
    yield Asked("DELETE", f"{path}/{revoked['id']}", None, own, 200)
    given = ("", "x" * 43, revoked["token"], foreign_host, foreign_seat, host, own, other, observe["token"])
    return Place(code, seat, dict(zip(KINDS, given, strict=True)))


def body_of(body: object) -> Any:
    """A body as the row says it."""
    action = {"offer": "no-such", "answer": {}}
    return {"action": {"command_id": str(uuid4()), **action}, "check": action}.get(str(body), body)


def expected(row: Row, kind: str) -> int:
    """The status that a row says for a kind of token."""
    none, invalid, *rest = (int(word) for word in row[3].split())
    known = dict(zip(("host", "own", "other", "observe"), rest, strict=True))
    return none if kind == "none" else known.get(kind, invalid)
