"""A graceful end: on SIGTERM or SIGINT stop taking work, finish what was begun, close, leave.

`Drain.requested` wakes when the end is near; each service then finishes what it began.
"""

from __future__ import annotations

import asyncio
import signal


class Drain:
    """Whether the end has been asked for, by a signal or by the process itself."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()

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
