"""Room as a process of its own, so that it can be killed: the tests' own replica serves beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from signal import SIGKILL, Signals
from typing import Any

import msgspec

from services.embedded import process
from tests.waiting import until

__all__ = ["Dying", "Process"]

PATIENCE = 120.0
"""Seconds for a start or an end, on a machine that many others use too."""


class Process:
    """`python -m services.room` as an operator runs it, or what runs it in another way. No test leaves it behind."""

    def __init__(self, database_url: str, nats_url: str, folder: Path, *words: str) -> None:
        self._words = words or ("services.room",)
        self._env = os.environ | {
            "SIETCH_DATABASE_URL": database_url,
            "SIETCH_NATS_URL": nats_url,
            "SIETCH_HTTP_PORT": "0",
            "SIETCH_RATE_FACTOR": "0",
        }
        self.log = folder / "room.log"
        self.urls: dict[str, str] = {}
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it serves people."""
        return self.urls["http"]

    async def start(self) -> None:
        """Start it, and return when it serves; when it does not, nothing of it is left."""
        self.urls.clear()
        try:
            self._begin()
            await until(self._serves, "a room that serves", PATIENCE)
        except BaseException:
            self.kill()
            raise

    def _begin(self) -> None:
        command = [sys.executable, "-m", *self._words]
        with self.log.open("wb") as out:
            self._child = process.start(command, last_signal=SIGKILL, stdout=out, stderr=out, env=self._env)

    def _serves(self) -> bool:
        assert self._status() is None, self.log.read_text()
        for entry in self._said("listening"):
            self.urls[entry["kind"]] = f"http://127.0.0.1:{entry['port']}"
        return len(self.urls) == 2

    def _said(self, event: str) -> list[dict[str, Any]]:
        """What the log tells of an event."""
        found = []
        for line in self._lines():
            try:
                entry = msgspec.json.decode(line)
            except msgspec.DecodeError:
                continue  # it is being written
            if entry.get("event") == event:
                found.append(entry)
        return found

    def _lines(self) -> list[bytes]:
        return self.log.read_bytes().splitlines()

    def _status(self) -> int | None:
        """How it ended; None while it runs."""
        assert self._child is not None
        return self._child.poll()

    async def end(self, how: Signals) -> int:
        """Send it a signal; returns its exit status."""
        assert self._child is not None
        process.send(self._child, how)
        return await self.ended()

    async def ended(self) -> int:
        """Wait until it ends by itself; returns its exit status."""
        await until(lambda: self._status() is not None, "the end of the process", PATIENCE)
        status = self._status()
        assert status is not None
        return status

    def kill(self) -> None:
        """Leave nothing of it running."""
        if self._child is not None:
            process.send(self._child, SIGKILL, group=True)
            self._child.wait(PATIENCE)
            self._child = None


class Dying(Process):
    """One that dies where `tests.chaos.dying.arm` says, and is begun again each time by what has its code loaded."""

    def __init__(self, database_url: str, nats_url: str, folder: Path) -> None:
        words = ("tests.chaos.dying", "services.room", str(folder), "again")
        super().__init__(database_url, nats_url, folder, *words)
        self._again = folder / "again"
        self._old = 0

    def _begin(self) -> None:
        if self._child is None:
            super()._begin()
        else:
            self._old = len(super()._lines())
            self._again.touch()

    def _lines(self) -> list[bytes]:
        return super()._lines()[self._old :]

    def _status(self) -> int | None:
        ends = self._said("ended")
        return int(ends[0]["status"]) if ends else super()._status()
