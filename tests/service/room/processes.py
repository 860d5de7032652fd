"""Room as a process of its own, so that it can be killed: the tests' own replica serves beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from signal import SIGKILL, Signals

import msgspec

from services.embedded import process
from tests.waiting import until

__all__ = ["Process"]

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
        command = [sys.executable, "-m", *self._words]
        with self.log.open("wb") as out:
            self._child = process.start(command, last_signal=SIGKILL, stdout=out, stderr=out, env=self._env)
        try:
            await until(self._serves, "a room that serves", PATIENCE)
        except BaseException:
            self.kill()
            raise

    def _serves(self) -> bool:
        assert self._status() is None, self.log.read_text()
        for line in self.log.read_bytes().splitlines():
            try:
                entry = msgspec.json.decode(line)
            except msgspec.DecodeError:
                continue  # it is being written
            if entry.get("event") == "listening":
                self.urls[entry["kind"]] = f"http://127.0.0.1:{entry['port']}"
        return len(self.urls) == 2

    def _status(self) -> int | None:
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
