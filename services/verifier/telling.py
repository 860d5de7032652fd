"""How far a run is: a line that moves on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from services.verifier.findings import Outcome
from services.verifier.report import line_of

__all__ = ["Lines", "Moving", "teller"]

EVERY_SECONDS = 10.0
"""How often a check that lasts says on plain lines how far it is."""


class Lines:
    """For logs: the beginning and end of each check, and now and then how far it is."""

    def __init__(self) -> None:
        self._check = ""
        self._last = 0.0

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left open."""

    def begins(self, check: str, about: str) -> None:
        """A check begins."""
        self._check, self._last = check, time.monotonic()
        self._say(f"{check}: {about}")

    def step(self, done: int, total: int, text: str) -> None:
        """The check has come so far."""
        if time.monotonic() - self._last >= EVERY_SECONDS:
            self._last = time.monotonic()
            self._say(f"{self._check}: {done} of {total} {text}".rstrip())

    def ends(self, outcome: Outcome) -> None:
        """A check is over."""
        self._say(line_of(outcome))

    @staticmethod
    def _say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)


class Moving:
    """For people at a terminal."""

    def __init__(self) -> None:
        columns = (
            TextColumn("{task.description:<9}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        self._console = Console(stderr=True)
        self._bar = Progress(
            *columns, TextColumn("{task.fields[text]}"), console=self._console, transient=True
        )
        self._task = self._bar.add_task("", total=None, text="")

    def __enter__(self) -> Self:
        """Show it."""
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take it away."""
        self._bar.stop()

    def begins(self, check: str, about: str) -> None:
        """A check begins."""
        self._bar.reset(self._task, description=check, total=None, text=about)

    def step(self, done: int, total: int, text: str) -> None:
        """The check has come so far."""
        self._bar.update(self._task, completed=done, total=total)
        if text:
            self._bar.update(self._task, text=text)

    def ends(self, outcome: Outcome) -> None:
        """A check is over."""
        self._console.print(line_of(outcome), highlight=False, markup=False)


def teller(quiet: bool) -> Lines | Moving | Silent:
    """Whoever fits where standard error goes to."""
    if quiet:
        return Silent()
    return Moving() if sys.stderr.isatty() else Lines()


class Silent(Lines):
    """For programs that read the report alone."""

    @staticmethod
    def _say(text: str) -> None:
        """Nothing."""
