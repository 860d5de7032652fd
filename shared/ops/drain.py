"""A graceful end: on SIGTERM or SIGINT stop taking work, finish what was begun, close, leave.

`Drain.requested` wakes when the end is near; work that must be finished runs inside `with drain.work():`.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator


class Draining(Exception):
    """The process takes no new work: the caller should turn to another replica."""

    def __init__(self) -> None:
        super().__init__("this process is ending and takes no new work; ask again")


class Drain:
    """Counts work in flight, and waits for it once the end has been asked for."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._count = 0

    @property
    def active(self) -> bool:
        """True once the end has been asked for."""
        return self._asked.is_set()

    def ask(self) -> None:
        """Ask for the end (what the signals do)."""
        self._asked.set()

    def on_signals(self) -> None:
        """Let SIGTERM and SIGINT ask for the end; a second SIGINT interrupts at once."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.ask)
        loop.add_signal_handler(signal.SIGINT, self._interrupt)

    def _interrupt(self) -> None:
        if self.active:
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
        self.ask()

    async def requested(self) -> None:
        """Return when the end has been asked for."""
        await self._asked.wait()

    @contextlib.contextmanager
    def work(self) -> Iterator[None]:
        """Hold the process open for one piece of work. Raises Draining when the end has been asked for."""
        if self.active:
            raise Draining
        self._count += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._count -= 1
            if self._count == 0:
                self._idle.set()

    async def finished(self, seconds: float) -> bool:
        """Wait until no work is in flight, at most `seconds`; False when time ran out."""
        try:
            await asyncio.wait_for(self._idle.wait(), seconds)
        except TimeoutError:
            return False
        return True
