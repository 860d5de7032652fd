"""Everything is asked for with every token, in ways that work and in ways that must be refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

import msgspec

from services.verifier.room import Room

__all__ = ["ask_for_everything"]

READ = ("", "/view", "/why", "/history", "/table", "/stream?after=x", "/nothing", "/seats/1/tokens/x")
TOLD = ("/actions", "/check", "/expire", "/start", "/bots", "/seats", "/seats/0/tokens")
MALFORMED = (b"{", b'{"offer":1}', b"[" * 900, b'"' + b"x" * 20_000 + b'"')
CHANGED = (("PATCH", "/settings"), ("PATCH", "/seats/0"), ("DELETE", "/seats/0"), ("PUT", ""))
"""Routes of a room by what is done there: read, told something, changed."""
OUTSIDE = (
    *("/api/rooms", "/api/rooms?state=running", "/api/rooms?state=x", "/api/rooms/ZZZZZZ/view"),
    *("/api/limits", "/api/openapi.json", "/", "/metrics", "/readyz", "/livez", "/static/none"),
)
"""What is asked for outside the room."""
OFFERED = ("orders", "bribe", "truthtrance")
"""Kinds of standing offers that are asked for with every token: one that many have, one that a hidden card gives."""


class _Listed(msgspec.Struct):
    id: str
    kind: str


class _View(msgspec.Struct):
    standing: tuple[_Listed, ...] = ()


class _Whole(msgspec.Struct):
    view: _View


def ask_for_everything(room: Room, tokens: Iterable[str], seats: Iterable[str]) -> None:
    """Ask with each token and without one, for the offers of these seats as well."""
    known = tuple(tokens)
    offers = [f"{seat}-{number}" for seat in seats for number in (1, 7)]
    offers += dict.fromkeys(name for token in known for name in _listed(room, token))
    for token in (*known, "", "wrong" * 8):
        _ask_as(room, token, offers)
    for path in (*OUTSIDE, f"/r/{room.code}"):
        _ask(room, "GET", path, "")


def _listed(room: Room, token: str) -> list[str]:
    """What stands open at any time to the seat of a token, if it is that of a seat."""
    headers = {"authorization": f"Bearer {token}"}
    reply = room.client.request("GET", f"{room.path}/view", headers=headers)
    if reply.status_code != 200:
        return []
    shown = msgspec.json.decode(reply.content, type=_Whole).view.standing
    return [row.id for row in shown if row.kind in OFFERED]


def _ask_as(room: Room, token: str, offers: list[str]) -> None:
    here = room.path
    for path in READ:
        _ask(room, "GET", here + path, token)
    for offer in offers:
        _ask(room, "GET", f"{here}/offers/{offer}", token)
        body = {"command_id": str(uuid4()), "offer": offer, "answer": {"do": "lasgun"}}
        _ask(room, "POST", f"{here}/actions", token, json=body)
    for path in TOLD:
        for text in MALFORMED:
            _ask(room, "POST", here + path, token, content=text)
    for method, path in CHANGED:
        _ask(room, method, here + path, token, json={})


def _ask(room: Room, method: str, path: str, token: str, **body: Any) -> None:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    if "content" in body:
        headers["content-type"] = "application/json"
    room.client.request(method, path, headers=headers, **body)
