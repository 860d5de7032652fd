"""The rooms of bots that run while things break: always as many as wanted, each a game that can be played alone too."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Any
from uuid import uuid4

import httpx
import psycopg

from services.arena.report import factions_for

LAST_TURN = 10


def seats_of(seed: int) -> tuple[str, ...]:
    """Who plays the game of a seed: four to six seats, so that a game lasts for minutes."""
    return factions_for(4 + seed % 3, seed)


class Door:
    """The front door as a client uses it that does not give up: the same request again until it is answered."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, timeout=5.0)

    def call(self, method: str, path: str, body: object = None, token: str = "") -> httpx.Response:
        """One request with its answer; lost and refused-for-now ones are sent again for up to a minute."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        until = time.monotonic() + 60
        while True:
            reply = None
            with contextlib.suppress(httpx.TransportError):
                self.client.cookies.clear()
                reply = self.client.request(method, path, json=body, headers=headers)
            if reply is not None and reply.status_code not in (429, 500, 502, 503, 504):
                return reply
            if time.monotonic() > until:
                raise TimeoutError(f"{method} {path} was not answered: {reply and reply.text}")
            time.sleep(0.1)

    def close(self) -> None:
        """Close its connections."""
        self.client.close()

    def made(self, seats: int, last_turn: int = LAST_TURN) -> tuple[str, str]:
        """A new room: its code and its host's token."""
        settings = {"seats": seats, "last_turn": last_turn}
        wish = {"settings": settings, "command_id": str(uuid4())}
        found = self.call("POST", "/api/rooms", wish).json()
        return str(found["code"]), str(found["host_token"])

    def seat_bot(self, code: str, faction: str, host: str) -> None:
        """Let a bot sit down: once, however often it is asked for."""
        wish = {"policy": "easy", "faction": faction, "command_id": str(uuid4())}
        reply = self.call("POST", f"/api/rooms/{code}/bots", wish, host)
        assert reply.status_code == 201, reply.text

    def start(self, code: str, host: str, seed: int) -> None:
        """Begin the game: once, however often it is asked for."""
        wish = {"force": True, "seed": seed, "command_id": str(uuid4())}
        reply = self.call("POST", f"/api/rooms/{code}/start", wish, host)
        assert reply.status_code == 200, reply.text


class Keeper:
    """Keeps `count` games of bots running: when one ends, the next begins."""

    def __init__(self, url: str, database_url: str, count: int, first_seed: int) -> None:
        self._door = Door(url)
        self._database_url = database_url
        self._count = count
        self._seed = first_seed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)
        self.seeds: dict[str, int] = {}
        self.trouble: BaseException | None = None

    def fill(self) -> None:
        """Begin the first games."""
        while len(self.seeds) < self._count:
            self._one()

    def start(self) -> None:
        """Look after them from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Begin no more games. Raises what went wrong meanwhile."""
        self._stop.set()
        self._thread.join(70)
        self._door.close()
        if self.trouble is not None:
            raise self.trouble

    def _run(self) -> None:
        try:
            while not self._stop.wait(1.0):
                for _ in range(self._missing()):
                    self._one()
        except BaseException as trouble:  # noqa: BLE001 - told at the end, by whoever waits for this thread
            self.trouble = trouble

    def _missing(self) -> int:
        query = "SELECT count(*) FROM rooms WHERE code = ANY(%s) AND NOT finished"
        with contextlib.suppress(psycopg.OperationalError):
            with psycopg.connect(self._database_url, connect_timeout=3) as connection:
                row: Any = connection.execute(query, (list(self.seeds),)).fetchone()
                return self._count - int(row[0])
        return 0

    def _one(self) -> None:
        seed, self._seed = self._seed, self._seed + 1
        seats = seats_of(seed)
        code, host = self._door.made(len(seats))
        for faction in seats:
            self._door.seat_bot(code, faction, host)
        self._door.start(code, host, seed)
        self.seeds[code] = seed
