"""A whole game through a running deployment, played by people's tokens alone, up to the use of a Nexus card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

import httpx
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from services.embedded import Deployment
from services.verifier.room import Room
from shared.dune.offers import Offer
from shared.dune.shapes import Json
from shared.dune.views import SeatView
from tests.nexus.games import STANDING, Moment, Row, offering, script, stops, with_
from tests.nexus.seeker import decide

__all__ = ["WholeGame", "at_once", "restart"]


T = TypeVar("T")


class _Whole(Struct):
    view: SeatView


_wholes = msgspec.json.Decoder(_Whole)
SERVICES = ("rules", "projection", "bot", "room")
PLAYERS = 3
"""Games that are played at once: while one waits for its reply another thinks."""


@cache
def _answers(row: Row) -> list[tuple[str, Offer, Json]]:
    """What is answered up to a moment, of whatever effect it is: worked out once for all rooms that play this game."""
    return list(script(row))


def _game_of(row: Row) -> Row:
    return replace(row, effect="", seat="", kind="", counter="")


def at_once(play: Callable[[Row], T], wanted: Mapping[str, Row]) -> dict[str, Future[T]]:
    """Play several games side by side, each under its name; return when all are done, or have failed."""
    for row in wanted.values():  # here, for rules are not made for threads
        _answers(_game_of(row))
    with ThreadPoolExecutor(PLAYERS) as pool:
        return {name: pool.submit(play, row) for name, row in wanted.items()}


class WholeGame:
    """The room of a row: every seat is a person who plays as in the search."""

    def __init__(self, url: str, row: Row) -> None:
        self.row = row
        settings = {"mode": row.mode, "modules": ["nexus"], "decks": list(row.decks)}
        self.room = Room(url, seats=len(row.seats), **settings)
        for seat in row.seats:
            self.room.sit(seat)
        self.room.start(row.seed)
        self._last = row.seats[0]

    def close(self) -> None:
        """Close the connection."""
        self.room.client.close()

    @property
    def code(self) -> str:
        """The room's code."""
        return self.room.code

    @property
    def seats(self) -> dict[str, str]:
        """The token of each seat."""
        return self.room.tokens

    def owing(self) -> tuple[SeatView, Offer] | None:
        """The first seat in the circle that owes an answer, with its view and the question.

        Whom the game waits for is read from the view of whoever answered last: everybody is told the same.
        """
        views = {self._last: self.seen(self._last)}
        waited = {seat for waiting in views[self._last].waiting for seat in waiting.seats}
        for seat in self.row.seats:
            if seat in waited:
                seen = views.get(seat) or self.seen(seat)
                for offer in seen.offers:
                    if offer.committed is None:
                        return seen, offer
        return None

    def step(self) -> None:
        """One answer further."""
        found = self.owing()
        assert found is not None, "nobody is asked"
        seen, offer = found
        self.take(str(seen.seat), offer, decide(seen, offer, self.row.aim))

    def take(self, seat: str, offer: Offer, answer: Json, command: str = "") -> None:
        """An answer that must be taken."""
        reply = self.room.act(seat, offer.id, answer, command)
        assert reply.status_code == 200, f"{offer.kind} of {seat}: {reply.status_code} {reply.text}"
        self._last = seat

    def play(self) -> None:
        """Up to the moment: each answer by its seat's token, without a look before, which takes most of the time."""
        for seat, offer, answer in _answers(_game_of(self.row)):
            self.take(seat, offer, answer)

    def seen(self, seat: str) -> SeatView:
        """A seat's view."""
        reply = self.room.call("GET", f"{self.room.path}/view", token=self.room.tokens[seat] if seat else "")
        assert reply.status_code == 200, reply.text
        return _wholes.decode(reply.content).view

    def wholes(self) -> dict[str, dict[str, Any]]:
        """What each seat and a spectator is shown: view, log and number."""
        return {seat: self.room.whole(seat) for seat in (*self.row.seats, "")}

    def standing(self, seat: str) -> Offer | None:
        """The whole of what a seat may play by itself with its Nexus card; None if nothing."""
        for short in self.seen(seat).standing:
            if short.kind == STANDING:
                reply = self.described(seat, short.id)
                assert reply.status_code == 200, reply.text
                return msgspec.convert(reply.json()["offer"], Offer)
        return None

    def described(self, seat: str, offer: str) -> httpx.Response:
        """What the room says of an offer to a seat."""
        return self.room.call("GET", f"{self.room.path}/offers/{offer}", token=self.room.tokens[seat])

    def moment(self) -> Moment:
        """The row's moment, at which the game must stand now."""
        row = self.row
        offers = list(self.seen(row.seat).offers)
        if row.kind == STANDING and (whole := self.standing(row.seat)):
            offers.append(whole)
        offer = offering(offers, row.effect)
        assert offer is not None and offer.kind == row.kind, (
            f"{row.name}: the game does not come to it any more; search again (python -m tests.nexus.search)"
        )
        return Moment(row.effect, row.seat, offer)

    def owes(self, moment: Moment) -> bool:
        """Whether the question of a moment is still open, and unanswered."""
        return any(o.id == moment.offer.id and o.committed is None for o in self.seen(moment.seat).offers)

    def told(self, kind: str) -> list[dict[str, Any]]:
        """The events of a kind that everybody was told of."""
        return [event for event in self.room.whole()["log"] if event["event"] == kind]

    def plays(self) -> list[dict[str, Any]]:
        """The receipts of Nexus cards."""
        return self.told("NexusCardPlayed")

    def played(self) -> list[tuple[str, str, str]]:
        """Who has played which card by which panel."""
        return [(event["faction"], event["card"], event["mode"]) for event in self.plays()]

    def go_on(self, answers: int) -> None:
        """So many answers further, or to the end of the game."""
        for _ in range(answers):
            if self.room.over():
                return
            self.step()

    def cancelled(self) -> bool:
        """Whether everybody was told that a use of a Nexus card was cancelled."""
        return any(event["power"].startswith("nexus.") for event in self.told("PowerCancelled"))

    def settle(self) -> None:
        """Go on until what was used is done, with its counter: that counts when everybody has answered, not before."""
        for _ in range(40):
            if self.plays() and self.cancelled() == bool(self.row.counter):
                return
            found = self.owing()
            assert found is not None, "nobody is asked"
            seen, offer = found
            if seen.seat == self.row.counter and stops(offer):
                self.take(self.row.counter, offer, with_(offer, "karama"))
            else:
                self.step()
        raise AssertionError(f"{self.row.name} did not come to its end")


def restart(sietch: Deployment) -> None:
    """Stop every service and both servers, then start them: nobody remembers anything."""
    for name in SERVICES:
        sietch.stop(name)
    for name in ("nats", "postgres"):
        sietch.stop(name)
    for name in ("nats", "postgres"):
        sietch.start(name)
    for name in SERVICES:
        for child in sietch.children[name]:
            child.start()
    sietch.wait_ready()
