"""A person at a table of a running deployment, by its HTTP API alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Self
from uuid import uuid4

import httpx
import msgspec

from services.bot.policies import policy
from services.bot.policies.base import chance_of
from shared.dune.offers import Offer
from shared.dune.views import SeatView

PATIENCE = 60.0
"""Seconds within which anything that a test waits for must come, on a machine that others use too."""


def until(holds: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Wait until something is true and return it; TimeoutError names what never came."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come within {seconds:g} s")
        time.sleep(0.03)
    return found


class Room:
    """A room with the tokens of all that the test made in it."""

    def __init__(self, url: str, **settings: Any) -> None:
        self.client = httpx.Client(base_url=url, timeout=30.0)
        made = self.call("POST", "/api/rooms", {"settings": settings}).json()
        self.code: str = made["code"]
        self.path = f"/api/rooms/{self.code}"
        self.host: str = made["host_token"]
        self.tokens: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def call(self, method: str, path: str, body: object = None, token: str = "") -> httpx.Response:
        """One request, again while the deployment is on its way down or up; the same body each time."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        deadline = time.monotonic() + PATIENCE
        while True:
            self.client.cookies.clear()
            try:
                reply = self.client.request(method, path, json=body, headers=headers)
            except httpx.TransportError:
                reply = None
            if reply is not None and reply.status_code not in (429, 502, 503):
                return reply
            if time.monotonic() > deadline:
                raise TimeoutError(f"{method} {path}: {reply and reply.text}")
            time.sleep(0.1)

    def sit(self, faction: str) -> None:
        """A person takes a seat."""
        reply = self.call("POST", f"{self.path}/seats", {"name": faction, "faction": faction})
        assert reply.status_code == 201, reply.text
        self.tokens[faction] = reply.json()["token"]

    def add_bot(self, faction: str, name: str = "easy") -> None:
        """A bot takes a seat."""
        reply = self.call("POST", f"{self.path}/bots", {"policy": name, "faction": faction}, self.host)
        assert reply.status_code == 201, reply.text

    def start(self, seed: int) -> None:
        """The host begins the game."""
        reply = self.call("POST", f"{self.path}/start", {"force": True, "seed": seed}, self.host)
        assert reply.status_code == 200, reply.text

    def whole(self, seat: str = "") -> dict[str, Any]:
        """The whole view of a seat (or a spectator) as it comes: sequence, view and log."""
        reply = self.call("GET", f"{self.path}/view", token=self.tokens.get(seat, ""))
        assert reply.status_code == 200, reply.text
        found: dict[str, Any] = reply.json()
        return found

    def act(self, seat: str, offer: str, answer: object, command: str = "") -> httpx.Response:
        """Answer an offer."""
        body = {"command_id": command or str(uuid4()), "offer": offer, "answer": answer}
        return self.call("POST", f"{self.path}/actions", body, self.tokens[seat])

    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.call("GET", self.path).json()["state"] == "finished")

    def history(self) -> list[list[dict[str, Any]]]:
        """The events of every commit of a finished game."""
        commits: list[list[dict[str, Any]]] = []
        while True:
            page = self.call("GET", f"{self.path}/history?after={len(commits)}").json()
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
        assert reply.status_code in (200, 409), reply.text
        return True
