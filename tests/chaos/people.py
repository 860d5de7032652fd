"""People at their tables: each plays a seat over HTTP, hangs up at times, and notes everything that it was told."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import msgspec

from services.arena.report import factions_for
from services.bot.policies import policy
from services.bot.policies.base import chance_of
from services.projection.patch import apply_patch
from shared.dune.offers import Offer
from shared.dune.views import SeatView
from tests.chaos.rooms import Door

HANGS_UP = 0.15
"""How often a person breaks the connection off before the reply, and sends the same again."""
SAYS_AGAIN = 0.1
"""How often a person sends a command again that it knows was taken."""
QUIET_SECONDS = 20.0
"""A stream that says nothing for that long is opened anew (it beats more often than that)."""


@dataclass
class Told:
    """One command and every status that it was answered with."""

    command: str
    offer: str
    statuses: list[int] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)


class Person:
    """One room with one person and bots; the person's own two threads read and answer."""

    def __init__(self, url: str, seed: int, pause: float) -> None:
        self.seats = factions_for(3, seed)
        self.faction = self.seats[0]
        self.told: list[Told] = []
        self.frames: list[tuple[str, Any]] = []
        self.faults: list[str] = []
        self._url = url
        self._pause = pause
        self._door = Door(url)
        self._dice = random.Random(seed)
        self._view: Any = None
        self._seq = -1
        self.over = threading.Event()
        self._stop = threading.Event()
        self._changed = threading.Condition()
        self.code, host = self._door.made(len(self.seats))
        wish = {"name": "Person", "faction": self.faction, "command_id": str(uuid4())}
        reply = self._door.call("POST", f"/api/rooms/{self.code}/seats", wish)
        assert reply.status_code == 201, reply.text
        self._token: str = reply.json()["token"]
        for bot in self.seats[1:]:
            self._door.seat_bot(self.code, bot, host)
        self._door.start(self.code, host, seed)
        self._threads = [
            threading.Thread(target=part, args=(work,), daemon=True)
            for part, work in ((self._kept, self._read), (self._kept, self._answer))
        ]

    def start(self) -> None:
        """Read and answer from now on."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Answer nothing more, read on for a moment until nothing is on its way, and leave."""
        self._stop.set()
        with self._changed:
            self._changed.notify_all()
        self._threads[1].join(90)

    def leave(self) -> None:
        """Close the stream."""
        self.over.set()
        self._threads[0].join(30)
        self._door.close()

    @property
    def seq(self) -> int:
        """The number of the newest frame read."""
        return self._seq

    def whole(self) -> Any:
        """The view as the deployment tells it when it is asked for it whole."""
        return self._door.call("GET", f"/api/rooms/{self.code}/view", token=self._token).json()

    @property
    def view(self) -> Any:
        """The view that the frames read so far add up to."""
        return self._view

    def _kept(self, work: Any) -> None:
        try:
            work()
        except Exception as wrong:  # noqa: BLE001 - told at the end: this thread has nobody who waits for it
            self.faults.append(f"the person of room {self.code} broke down: {wrong!r}")

    # ------------------------------------------------------------------ reading

    def _read(self) -> None:
        """Follow the stream; where it ends or breaks, resume after the last frame."""
        timeout = httpx.Timeout(5.0, read=QUIET_SECONDS)
        with httpx.Client(base_url=self._url, timeout=timeout) as client:
            while not self.over.is_set():
                headers = {"authorization": f"Bearer {self._token}", "accept": "application/x-ndjson"}
                after = {} if self._seq < 0 else {"after": str(self._seq)}
                with contextlib.suppress(httpx.TransportError):
                    path = f"/api/rooms/{self.code}/stream"
                    with client.stream("GET", path, headers=headers, params=after) as reply:
                        if reply.status_code == 200:
                            self._follow(reply)
                time.sleep(0.1)

    def _follow(self, reply: httpx.Response) -> None:
        for line in reply.iter_lines():
            if line:
                frame = json.loads(line)
                self._take(frame["event"], frame["data"])
            if self.over.is_set():
                return

    def _take(self, event: str, data: Any) -> None:
        if event in ("view", "changed"):
            self.frames.append((event, data))
        if event == "changed":
            if data["seq"] != self._seq + 1:
                self.faults.append(f"room {self.code}: change {data['seq']} followed {self._seq}")
            view = apply_patch(self._view, data["patch"])
        elif event == "view":
            if data["seq"] < self._seq:
                self.faults.append(f"room {self.code}: the view went back from {self._seq} to {data['seq']}")
            view = data["view"]
        else:
            return
        with self._changed:
            self._view, self._seq = view, data["seq"]
            self._changed.notify_all()

    # ------------------------------------------------------------------ answering

    def _answer(self) -> None:
        """Answer what is asked, as the easy bot would, until told to stop or the game is over."""
        answered: set[str] = set()
        while not self._stop.is_set():
            found = self._asked(answered)
            if found is None:
                continue
            seen, offer = found
            time.sleep(self._pause)
            given = policy("easy").decide(seen, offer, chance_of(seen, offer))
            if 200 in self._say(offer, given).statuses:
                answered.add(offer.id)

    def _asked(self, answered: set[str]) -> tuple[SeatView, Offer] | None:
        with self._changed:
            seen = None if self._view is None else msgspec.convert(self._view, SeatView)
            for offer in seen.offers if seen else ():
                if offer.committed is None and offer.id not in answered:
                    assert seen is not None
                    return seen, offer
            self._changed.wait(1.0)
            return None

    def _say(self, offer: Offer, answer: object) -> Told:
        told = Told(str(uuid4()), offer.id)
        self.told.append(told)
        body = {"command_id": told.command, "offer": offer.id, "answer": answer}
        if self._dice.random() < HANGS_UP:
            self._hang_up(body)
        for _ in range(2 if self._dice.random() < SAYS_AGAIN else 1):
            reply = self._door.call("POST", f"/api/rooms/{self.code}/actions", body, self._token)
            told.statuses.append(reply.status_code)
            told.codes.append("" if reply.status_code == 200 else str(reply.json().get("code")))
        return told

    def _hang_up(self, body: object) -> None:
        """Send the whole request and close before a byte of the reply came."""
        place = urlsplit(self._url)
        data = json.dumps(body).encode()
        head = (
            f"POST /api/rooms/{self.code}/actions HTTP/1.1\r\nhost: {place.netloc}\r\n"
            f"authorization: Bearer {self._token}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(data)}\r\n\r\n"
        )
        with contextlib.suppress(OSError):
            with socket.create_connection((place.hostname or "", place.port or 80), timeout=5) as link:
                link.sendall(head.encode() + data)
                time.sleep(self._dice.choice((0.0, 0.005, 0.05)))
