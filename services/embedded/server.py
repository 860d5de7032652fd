"""What the servers of our own have in common: started once, waited for until they answer, stopped, killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path

from services.embedded import process
from services.embedded.errors import EmbeddedError
from services.embedded.home import Home


class Server(ABC):
    """One server process below `home`. A kind of server says how it is started and when it answers."""

    title = ""
    """What people call it."""
    start_seconds = 60.0
    stop_seconds = 5.0
    stop_signal = signal.SIGTERM
    """What ends it cleanly; it also comes from the kernel when this process dies."""

    def __init__(self, home: Home, name: str) -> None:
        self._home = home
        self._account = home.account
        self._log = home.logs / f"{name}.log"
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """Whether the server process is there."""
        return self._child is not None and self._child.poll() is None

    @property
    def pid(self) -> int | None:
        """The server's process id while it runs."""
        return self._child.pid if self._child is not None and self.running else None

    def start(self) -> None:
        """Start the server and return when it answers. Raises EmbeddedError with the end of its log."""
        if self.running:
            return
        command = self._command()
        with self._log.open("ab") as log:
            self._child = process.start(
                command,
                last_signal=self.stop_signal,
                account=self._account,
                env=environment(),
                stdout=log,
                stderr=log,
                cwd=Path("/"),
            )
        self._wait_ready()

    def stop(self) -> None:
        """A clean stop; data is kept."""
        if self._child is not None:
            process.stop(self._child, self.stop_signal, self.stop_seconds)

    def kill(self) -> None:
        """End the server at once, as a crash would (for tests of recovery)."""
        if self._child is not None:
            # PostgreSQL's own children lead their own groups; they end by themselves when their parent is gone.
            process.send(self._child, signal.SIGKILL)
            self._child.wait(10)

    @abstractmethod
    def _command(self) -> list[str]:
        """Prepare everything for a start, and say what is to be run."""

    @abstractmethod
    def _missing(self) -> str | None:
        """None once the server answers as it should; otherwise what is missing."""

    def _wait_ready(self) -> None:
        deadline = time.monotonic() + self.start_seconds
        missing: str | None = "it was not asked"
        while time.monotonic() < deadline:
            if not self.running:
                raise EmbeddedError(
                    f"{self.title} ended while starting; the end of {self._log}:\n{tail(self._log)}"
                )
            missing = self._missing()
            if missing is None:
                return
            time.sleep(0.01)
        self.stop()
        raise EmbeddedError(
            f"{self.title} gave no answer within {self.start_seconds:g} s: {missing}; see {self._log}"
        )


def environment() -> dict[str, str]:
    """Only what a server needs: no variable of ours may steer it, and no secret of ours reaches it."""
    return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "TZ": "UTC"}


def tail(path: Path, lines: int = 8) -> str:
    """The last lines of a log."""
    try:
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])
    except OSError as error:
        return f"({error.strerror})"
