"""A person at a table of a running deployment, by its HTTP API alone."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Self
from uuid import uuid4

import httpx
import msgspec

from services.bot.policies import policy
from services.bot.policies.base import chance_of
from services.verifier.promises import Promises
from services.verifier.replies import code_of, short
from shared.dune.offers import Offer
from shared.dune.views import SeatView

__all__ = ["PATIENCE", "Room", "WrongReplyError", "plain_client", "until"]

PATIENCE = 60.0
"""Seconds within which anything that is waited for must come, on a machine that others use too."""


class WrongReplyError(RuntimeError):
    """A request that had to succeed was answered with something else."""

    def __init__(self, reply: httpx.Response, expected: int) -> None:
        self.what = f"{reply.status_code} {short(reply)}"
        self.where = f"{reply.request.method} {reply.request.url.raw_path.decode()}"
        self.expected = str(expected)
        super().__init__(f"{self.where}: {self.what}, not {expected}")


def until(holds: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Wait until something is true and return it; TimeoutError names what never came."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come within {seconds:g} s")
        time.sleep(0.03)
    return found


@cache
def _trust() -> ssl.SSLContext:
    """Whom to trust: read once, for it takes longer than a request."""
    return ssl.create_default_context()


class _Patient(httpx.HTTPTransport):
    """Waits as long as a limit asks for, and sends the same again: whoever is limited is not refused."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send it until it is counted in."""
        deadline = time.monotonic() + PATIENCE
        while True:
            reply = super().handle_request(request)
            if reply.status_code != 429 or time.monotonic() > deadline:
                return reply
            reply.read()
            reply.close()
            time.sleep(_pause(reply))


def plain_client(url: str, seconds: float = 30.0, patient: bool = False) -> httpx.Client:
    """A client that keeps no cookie: who it is, is said by each request's token alone.

    A patient one never sees a 429 but after a minute of them.
    """
    nothing = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    limits = httpx.Limits(max_connections=64, max_keepalive_connections=32)
    kind = _Patient if patient else httpx.HTTPTransport
    transport = kind(verify=_trust(), limits=limits)
    return httpx.Client(base_url=url, timeout=seconds, transport=transport, cookies=nothing)


class Room:
    """A room with the tokens of all that were made in it."""

    def __init__(
        self,
        url: str,
        client: httpx.Client | None = None,
        promises: Promises | None = None,
        **settings: Any,
    ) -> None:
        self.client = client or plain_client(url)
        self.promises = Promises() if promises is None else promises
        wish = {"settings": settings, "command_id": str(uuid4())}
        made = _right(self.call("POST", "/api/rooms", wish), 201).json()
        self.code: str = made["code"]
        self.path = f"/api/rooms/{self.code}"
        self.host: str = made["host_token"]
        self.tokens: dict[str, str] = {}

    def __enter__(self) -> Self:
        """Itself; its connections are closed at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close its connections."""
        self.client.close()

    def call(self, method: str, path: str, body: object = None, token: str = "") -> httpx.Response:
        """One request, again while the deployment is on its way down or up; the same body each time.

        Raises TimeoutError when it is not answered at all.
        """
        headers = {"authorization": f"Bearer {token}"} if token else {}
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                reply = self.client.request(method, path, json=body, headers=headers)
            except httpx.TransportError:
                reply = None
            if reply is not None and reply.status_code not in (429, 502, 503):
                return reply
            if time.monotonic() > deadline:
                raise TimeoutError(f"{method} {path}: {reply and reply.text}")
            time.sleep(_pause(reply))

    def sit(self, faction: str, name: str = "") -> None:
        """A person takes a seat."""
        wish = {"name": name or faction, "faction": faction, "command_id": str(uuid4())}
        reply = self.call("POST", f"{self.path}/seats", wish)
        self.tokens[faction] = _right(reply, 201).json()["token"]

    def add_bot(self, faction: str, name: str = "easy") -> None:
        """A bot takes a seat."""
        wish = {"policy": name, "faction": faction, "command_id": str(uuid4())}
        reply = self.call("POST", f"{self.path}/bots", wish, self.host)
        _right(reply, 201)

    def start(self, seed: int | None) -> None:
        """The host begins the game. A seed can be stated only where scenarios are allowed, or bots alone play."""
        body = {"force": True, "command_id": str(uuid4())} | ({} if seed is None else {"seed": seed})
        _right(self.call("POST", f"{self.path}/start", body, self.host), 200)

    def whole(self, seat: str = "") -> dict[str, Any]:
        """The whole view of a seat (or a spectator) as it comes: sequence, view and log."""
        reply = self.call("GET", f"{self.path}/view", token=self.tokens.get(seat, ""))
        found: dict[str, Any] = _right(reply, 200).json()
        return found

    def act(self, seat: str, offer: str, answer: object, command: str = "") -> httpx.Response:
        """Answer an offer."""
        command = command or str(uuid4())
        body = {"command_id": command, "offer": offer, "answer": answer}
        reply = self.call("POST", f"{self.path}/actions", body, self.tokens[seat])
        self.told(seat, command, reply)
        return reply

    def told(self, seat: str, command: str, reply: httpx.Response) -> None:
        """Keep what an answer was promised."""
        if reply.status_code == 200:
            self.promises.accepted(self.code, command, seat)
        elif reply.status_code == 422 or code_of(reply) == "stale":
            self.promises.refused(self.code, command, seat)

    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.call("GET", self.path).json()["state"] == "finished")

    def history(self) -> list[list[dict[str, Any]]]:
        """The events of every commit of a finished game."""
        commits: list[list[dict[str, Any]]] = []
        while True:
            page = _right(self.call("GET", f"{self.path}/history?after={len(commits)}"), 200).json()
            commits.extend(commit["events"] for commit in page["commits"])
            if not page["more"]:
                return commits

    # ------------------------------------------------------------------ a person who plays

    def asked(self, seat: str) -> tuple[SeatView, Offer] | None:
        """What a seat is asked and has not answered, with its view."""
        seen = msgspec.convert(self.whole(seat)["view"], SeatView)
        open_ = [offer for offer in seen.offers if offer.committed is None]
        return (seen, open_[0]) if open_ else None

    def choice(self, seat: str) -> tuple[Offer, Any] | None:
        """The first thing that a seat is asked, and what the easy bot would say to it; None when nothing is asked."""
        found = self.asked(seat)
        if found is None:
            return None
        seen, offer = found
        return offer, policy("easy").decide(seen, offer, chance_of(seen, offer))

    def answer(self, seat: str) -> bool:
        """Answer the first thing that is asked as the easy bot would; False when nothing is asked."""
        found = self.choice(seat)
        if found is None:
            return False
        reply = self.act(seat, found[0].id, found[1])
        return reply.status_code == 409 or bool(_right(reply, 200))


def _right(reply: httpx.Response, expected: int) -> httpx.Response:
    if reply.status_code != expected:
        raise WrongReplyError(reply, expected)
    return reply


def _pause(reply: httpx.Response | None) -> float:
    """How long to wait before a request is sent again: as long as its limit asks for, at most 5 s."""
    asked = "" if reply is None or reply.status_code != 429 else reply.headers.get("retry-after", "")
    return min(5.0, float(asked)) if asked.isdigit() else 0.1
