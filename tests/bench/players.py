"""Tables of people who answer at random and legally, as a client would: from the offers on their own streams alone."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from uuid import uuid4

import msgspec
from msgspec import Raw

from shared.dune.offers import Offer
from tests.bench.client import request_bytes
from tests.bench.seated import Seat, Seated
from tests.bench.wire import Caller
from tests.property.players import CLASSIC, sampled

__all__ = ["Counts", "Party"]

AGAIN_SECONDS = 20.0
"""How long a command is sent again whose answer was lost."""
STUCK_SECONDS = 30.0
"""A running game in which nobody is asked anything for so long is stuck."""


class Counts:
    """What all tables together saw. Latencies are seconds, emptied by whoever reads them."""

    def __init__(self) -> None:
        self.accepted = 0
        self.begun = 0
        self.ended = 0
        self.statuses: Counter[str] = Counter()
        self.faults: list[str] = []
        self.replies: list[float] = []
        self.shown: list[float] = []

    def fault(self, text: str) -> None:
        """Something that must not happen."""
        self.faults.append(text)


class Party:
    """One table: six people who play one game after another, a pause between any two answers.

    Each game ends after its own number of turns, from one to `turns`, so that at any moment some begin and some end.
    """

    def __init__(self, url: str, number: int, counts: Counts, think: float, turns: int) -> None:
        self._url = url
        self._counts = counts
        self._think = think
        self._turns = turns
        self._rng = random.Random(number)
        self.room: Seated | None = None
        self.accepted: dict[str, int] = {}
        """Answers that were said to be accepted, by the code of the room."""

    async def open(self) -> None:
        """Sit down at a new table, begin the game and open every stream."""
        caller = Caller(self._url)
        try:
            settings = {"seats": len(CLASSIC), "last_turn": self._rng.randint(1, self._turns)}
            made = await caller.call("POST", "/api/rooms", {"name": "load", "settings": settings})
            path = f"/api/rooms/{made['code']}"
            tokens = {}
            for seat in CLASSIC:
                joined = await caller.call("POST", f"{path}/seats", {"name": seat, "faction": seat})
                tokens[seat] = joined["token"]
            await caller.call("POST", f"{path}/start", {"force": True}, made["host_token"])
        finally:
            caller.close()
        self.accepted[made["code"]] = 0
        self.room = Seated(self._url, path, tokens, lambda _: f"{path}/stream")
        await self.room.open()
        self._counts.begun += 1

    async def play(self, ending: asyncio.Event) -> None:
        """Play until the end is asked for; a game that is over is followed by another."""
        await asyncio.sleep(self._rng.random() * self._think)
        while not ending.is_set():
            assert self.room is not None
            if any(seat.over for seat in self.room.seats.values()):
                self._counts.ended += 1
                self.leave()
                await self.open()
                continue
            chosen = self._choose(self.room)
            if chosen is None:
                if not await self.room.stirred(STUCK_SECONDS) and not ending.is_set():
                    self._counts.fault(f"{self.room.path}: nobody was asked anything for {STUCK_SECONDS:g} s")
                    return
                continue
            await self._answer(self.room, *chosen)
            await asyncio.sleep(self._think * (0.5 + self._rng.random()))

    def leave(self) -> None:
        """Close the streams; what was wrong with them is a fault."""
        if self.room is not None:
            for text in (*self.room.gaps, *self.room.ends):
                self._counts.fault(f"{self.room.path}: {text}")
            self.room.close()
            self.room = None

    def _choose(self, room: Seated) -> tuple[Seat, Offer] | None:
        """A question that somebody is asked and has not answered yet, as their stream shows it; None: there is none."""
        for seat in self._rng.sample(list(room.seats.values()), len(room.seats)):
            offers = [msgspec.json.decode(raw, type=Offer) for raw in seat.offers]
            left = [offer for offer in offers if offer.committed is None]
            if left:
                return seat, self._rng.choice(left)
        return None

    async def _answer(self, room: Seated, seat: Seat, offer: Offer) -> None:
        given = Raw(msgspec.json.encode(sampled(offer, self._rng)))
        body = msgspec.json.encode({"command_id": uuid4(), "offer": offer.id, "answer": given})
        request = request_bytes("POST", f"{room.path}/actions", body, seat.token)
        try:
            status, text, replied, shown = await self._send(room, seat, request)
        except TimeoutError:
            # At the end every stream is held against the store: what was lost is found there.
            self._counts.statuses["not shown in time"] += 1
            return
        if status == 200:
            self.accepted[room.path.rpartition("/")[2]] += 1
            self._counts.accepted += 1
            self._counts.replies.append(replied)
            self._counts.shown.append(shown)
            return
        # Somebody else's answer closed the question before the stream could say so: no fault of anybody.
        stale = status == 409 and b'"stale"' in text
        self._counts.statuses["stale" if stale else str(status)] += 1
        if stale:
            await room.stirred(1.0)
        else:
            self._counts.fault(f"{room.path}: {offer.kind} got {status} {text[:200].decode()}")

    async def _send(self, room: Seated, seat: Seat, request: bytes) -> tuple[int, bytes, float, float]:
        """Send, and the very same again while the connection breaks."""
        async with asyncio.timeout(AGAIN_SECONDS):
            while True:
                try:
                    return await room.act(request, (seat.name,))
                except ConnectionError:
                    self._counts.statuses["broken connection"] += 1
                    await asyncio.sleep(0.05)
