"""A wire between one room replica and PostgreSQL that can be cut between a commit and its answer."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

from services.embedded import Deployment
from services.embedded.child import Child
from tests.chaos.dying import command

SOCKET = ".s.PGSQL.5432"
APPENDS = b'"event":'
"""What the statement that appends a commit carries, and no other that room sends: the JSON of events."""
CHUNK = 1 << 16


class Wire:
    """A socket in front of PostgreSQL's, that hands everything on until it is told to cut."""

    def __init__(self, database_url: str) -> None:
        parts = urlsplit(database_url)
        self._to = str(Path(parse_qs(parts.query)["host"][0]) / SOCKET)
        self._folder = Path(tempfile.mkdtemp(prefix="sietch-wire-"))
        self.url = urlunsplit(parts._replace(query=f"host={quote(str(self._folder), safe='')}"))
        self.cuts = 0
        self._armed = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="wire", daemon=True)
        self._thread.start()
        self._ready.wait(10)

    def cut(self, times: int, seconds: float = 3.0) -> int:
        """Cut the next commits' connections: each statement arrives, its answer does not. Returns how many came."""
        before, self._armed = self.cuts, times
        until = time.monotonic() + seconds
        while self.cuts < before + times and time.monotonic() < until:
            time.sleep(0.01)
        self._armed = 0
        return self.cuts - before

    def close(self) -> None:
        """Hand nothing on any more."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_unix_server(self._join, str(self._folder / SOCKET))
        )
        self._ready.set()
        self._loop.run_forever()
        server.close()
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.close()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far, onward = await asyncio.open_unix_connection(self._to)
        except OSError:
            writer.close()  # PostgreSQL is away
            return
        line = _Line()
        ways = (self._ask(reader, onward, line), self._answer(far, writer, line))
        tasks = [asyncio.create_task(way) for way in ways]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for end in (writer, onward):
            with contextlib.suppress(OSError):
                end.close()

    async def _ask(self, reader: asyncio.StreamReader, onward: asyncio.StreamWriter, line: _Line) -> None:
        while data := await reader.read(CHUNK):
            if self._armed and APPENDS in data:
                self._armed -= 1
                line.doomed = True
            onward.write(data)
            await onward.drain()

    async def _answer(self, far: asyncio.StreamReader, writer: asyncio.StreamWriter, line: _Line) -> None:
        while data := await far.read(CHUNK):
            if line.doomed:
                # PostgreSQL answers once the commit is safe: it is done, and nobody hears of it.
                self.cuts += 1
                return
            writer.write(data)
            await writer.drain()


class _Line:
    """One connection: whether it is cut at the next answer."""

    doomed = False


class Wired(Deployment):
    """A deployment whose first room replica reaches PostgreSQL over a wire of ours; its services die at points."""

    wire: Wire | None = None

    @property
    def points(self) -> Path:
        """Where `dying.arm` says at which point of its code the next process dies."""
        return self._home.path

    def _child(self, service: str, index: int) -> Child:
        child: Any = super()._child(service, index)
        child._command = command(service, self.points)
        if service == "room" and index == 0:
            self.wire = self.wire or Wire(self.database_url_for("room"))
            child._env["SIETCH_DATABASE_URL"] = self.wire.url
        return child

    def down(self) -> None:
        """Stop everything, the wire last."""
        super().down()
        if self.wire is not None:
            self.wire.close()
            self.wire = None
