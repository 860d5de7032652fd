"""A case over HTTP: staged in a scenario room of a deployment, played by each seat's token, read from its own view."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import httpx
import msgspec
from msgspec import Raw, Struct

from services.cases.world import World
from services.rules.staging import MalformedError
from shared.dune.events import Event, decode_event
from shared.dune.offers import Offer, Standing
from shared.dune.table import Table
from shared.dune.views import SPECTATOR, SeatView

__all__ = ["DeploymentError", "HttpWorld", "http_maker"]

TRIES = 8
"""Requests that are sent again while the deployment says 429 or 503, with the pause that it asks for."""
SECONDS = 30.0


class DeploymentError(RuntimeError):
    """The deployment cannot be reached, stages no scenarios, or answered what it must not; the text says which."""


class _Described(Struct):
    offer: Offer


class _Whole(Struct):
    view: Raw
    log: list[Raw]


class _Truth(Struct):
    table: Table
    events: list[Raw]
    commits: int


_wholes = msgspec.json.Decoder(_Whole)
_truths = msgspec.json.Decoder(_Truth)
_views = msgspec.json.Decoder(SeatView)


@contextmanager
def http_maker(
    url: str, heard: Callable[[httpx.Response], None] = lambda reply: None
) -> Iterator[Callable[[dict[str, Any]], World]]:
    """A maker of worlds in a deployment; its connections are shared by all the worlds (and threads) that it makes.

    `heard` is shown every reply.
    """
    limits = httpx.Limits(max_connections=32, max_keepalive_connections=32)
    hooks = {"response": [heard]}
    with httpx.Client(base_url=url, timeout=SECONDS, limits=limits, event_hooks=hooks) as client:
        yield lambda described: HttpWorld(client, described)


class HttpWorld:
    """A scenario room. What was read is kept until the next answer is sent."""

    def __init__(self, client: httpx.Client, described: dict[str, Any]) -> None:
        self._client = client
        reply = self._send("POST", "/api/scenarios", "", {"table": described})
        if reply.status_code in (400, 422) and reply.json()["code"] == "malformed":
            raise MalformedError(str(reply.json()["text"]))
        if reply.status_code != 201:
            raise DeploymentError(f"{client.base_url} stages no table: {_said(reply)}")
        staged = reply.json()
        self._room = f"/api/rooms/{staged['code']}"
        self._host = str(staged["host_token"])
        self._tokens: dict[str, str] = staged["seats"]
        self._shown: dict[str, _Whole] = {}
        self._read: dict[str, SeatView] = {}
        self._truth: Table | None = None
        self._events: list[Event] = []
        self._commits = 0

    def asked(self, seat: str) -> list[Offer]:
        """The questions that are open to a seat, as its own view shows them; none for a seat that is not there."""
        return list(self._view(seat).offers) if seat in self._tokens else []

    def standing(self, seat: str) -> list[Standing]:
        """What a seat may do at any time, in short, as its own view lists it."""
        return list(self._view(seat).standing) if seat in self._tokens else []

    def find(self, seat: str, kind: str) -> Offer | None:
        """The open or standing offer of a kind, with its choices: the latter is asked for whole."""
        for offer in self.asked(seat):
            if offer.kind == kind:
                return offer
        for short in self.standing(seat):
            if short.kind == kind:
                path = f"{self._room}/offers/{short.id}"
                return msgspec.json.decode(self._get(path, self._tokens[seat]), type=_Described).offer
        return None

    def act(self, seat: str, offer: Offer, given: dict[str, Any]) -> str:
        """Answer an offer; the refusal's code, or an empty string."""
        body = {"command_id": str(uuid4()), "offer": offer.id, "answer": given}
        return self._command("/actions", self._tokens.get(seat, ""), body)

    def expire(self, seat: str, offer: Offer) -> str:
        """Let the clock of an offer run out; the refusal's code, or an empty string."""
        return self._command("/expire", self._host, {"seat": seat, "offer": offer.id})

    def table(self) -> Table:
        """The whole truth."""
        if self._truth is None:
            truth = _truths.decode(self._get(f"{self._room}/table?after={self._commits}", self._host))
            self._truth, self._commits = truth.table, truth.commits
            self._events.extend(decode_event(event) for event in truth.events)
        return self._truth

    def events(self) -> list[Event]:
        """Everything that has happened since staging, in order."""
        self.table()
        return self._events

    def waiting(self) -> list[str]:
        """The seats that the game waits for: everybody is told the same, so any view that is at hand will do."""
        seen = self._view(next(iter(self._shown), SPECTATOR))
        return [seat for waiting in seen.waiting for seat in waiting.seats]

    def seen(self, audience: str) -> str:
        """The whole view of an audience and its log: the text that crossed the wire."""
        whole = self._whole(audience)
        return "\n".join(bytes(part).decode() for part in (whole.view, *whole.log))

    # ------------------------------------------------------------------ requests

    def _view(self, audience: str) -> SeatView:
        if audience not in self._read:
            self._read[audience] = _views.decode(self._whole(audience).view)
        return self._read[audience]

    def _whole(self, audience: str) -> _Whole:
        if audience not in self._shown:
            token = "" if audience == SPECTATOR else self._tokens[audience]
            self._shown[audience] = _wholes.decode(self._get(f"{self._room}/view", token))
        return self._shown[audience]

    def _command(self, path: str, token: str, body: dict[str, Any]) -> str:
        reply = self._send("POST", self._room + path, token, body)
        self._shown, self._read, self._truth = {}, {}, None
        if reply.status_code == 200:
            return ""
        if reply.status_code in (409, 422):
            return str(reply.json()["code"])
        raise DeploymentError(f"an answer to {path} came back as {_said(reply)}")

    def _get(self, path: str, token: str) -> bytes:
        reply = self._send("GET", path, token)
        if reply.status_code != 200:
            raise DeploymentError(f"{path}: {_said(reply)}")
        return reply.content

    def _send(self, method: str, path: str, token: str, body: object = None) -> httpx.Response:
        """One request, again while limits or a restart ask for patience: the same body, so that it acts once."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        for last in [False] * (TRIES - 1) + [True]:
            try:
                reply = self._client.request(method, path, json=body, headers=headers)
            except httpx.HTTPError as wrong:
                raise DeploymentError(
                    f"{self._client.base_url} cannot be reached ({wrong!r}); is it running, and is this its address?"
                ) from wrong
            if last or reply.status_code not in (429, 503):
                return reply
            time.sleep(float(reply.headers.get("retry-after", "1")))
        raise AssertionError("the last try returns")


def _said(reply: httpx.Response) -> str:
    return f"{reply.status_code} {reply.text[:400]}"
