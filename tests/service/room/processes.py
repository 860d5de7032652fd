"""Room as a process of its own, so that it can be killed: the tests' own replica serves beside it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from pathlib import Path

import msgspec

__all__ = ["Process"]

PATIENCE = 120.0
"""Seconds for a start or an end, on a machine that many others use too."""


class Process:
    """`python -m services.room` as an operator runs it, or what runs it in another way."""

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

    @property
    def url(self) -> str:
        """Where it serves people."""
        return self.urls["http"]

    async def start(self) -> None:
        """Start it, and return when it serves."""
        self.urls.clear()
        with self.log.open("wb") as out:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", *self._words, stdout=out, stderr=out, env=self._env
            )
        async with asyncio.timeout(PATIENCE):
            while True:
                for line in self.log.read_bytes().splitlines():
                    with contextlib.suppress(msgspec.DecodeError):
                        entry = msgspec.json.decode(line)
                        if entry.get("event") == "listening":
                            self.urls[entry["kind"]] = f"http://127.0.0.1:{entry['port']}"
                if len(self.urls) == 2:
                    return
                assert self.process.returncode is None, self.log.read_text()
                await asyncio.sleep(0.05)

    async def end(self, how: int) -> int:
        """Send it a signal; returns its exit status."""
        self.process.send_signal(how)
        return await self.ended()

    async def ended(self) -> int:
        """Wait until it ends by itself."""
        return await asyncio.wait_for(self.process.wait(), PATIENCE)
