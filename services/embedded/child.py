"""One service process under supervision: its log is read, its ports are learned, and it is started again when it ends.

The services log JSON lines; `listening` lines tell the ports, lines with `notice` are for people, and everything is
kept in `logs/<name>.log`.
"""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Literal

from services.embedded import process
from services.embedded.server import tail

FIRST_BACKOFF = 0.05
LONGEST_BACKOFF = 10.0
# A process that lived this long was well, for one that cannot start ends sooner: its next restart is immediate again.
STEADY_SECONDS = 5.0
LARGEST_LOG = 20 * 1024 * 1024

Kind = Literal["notice", "problem", "restart"]
Tell = Callable[[Kind, str, str], None]


class Child:
    """A supervised `python -m ...`. All methods may be called from any thread."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        env: Mapping[str, str],
        log: Path,
        tell: Tell,
        pass_fds: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.restarts = 0
        self.ports: dict[str, int] = {}
        self._command = list(command)
        self._env = dict(env)
        self._log = log
        self._tell = tell
        self._pass_fds = tuple(pass_fds)
        self._process: subprocess.Popen[bytes] | None = None
        self._wanted = False
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._stderr: list[str] = []

    # ------------------------------------------------------------------ for the deployment and tests

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        running = self._process
        return running.pid if running is not None and running.poll() is None else None

    def start(self) -> None:
        """Start the process, and again whenever it ends, until `stop` (harmless when it is started)."""
        with self._lock:
            if self._wanted:
                return
            self._wanted = True
            self._wake = threading.Event()
            self._spawn()
            threading.Thread(
                target=self._supervise, args=(self._wake,), name=f"sietch-{self.name}", daemon=True
            ).start()

    def stop(self, seconds: float = 15.0) -> bool:
        """End the process gracefully and leave it down; False when it had to be killed."""
        running = self._give_up()
        return running is None or process.stop(running, signal.SIGTERM, seconds)

    def kill(self, *, restart: bool = True) -> None:
        """SIGKILL, as a crash; `restart=False` leaves it down until `start`."""
        running = self._process if restart else self._give_up()
        if running is not None:
            process.send(running, signal.SIGKILL, group=True)
            running.wait(10)

    def pause(self) -> None:
        """Freeze the process (SIGSTOP): it holds its connections and does nothing."""
        if self._process is not None:
            process.send(self._process, signal.SIGSTOP)

    def resume(self) -> None:
        """Let a frozen process go on."""
        if self._process is not None:
            process.send(self._process, signal.SIGCONT)

    def not_ready(self) -> str | None:
        """None when the process says that it is ready; otherwise one line why not."""
        if self.pid is None:
            return "it is not running" + (f": {self._stderr[-1]}" if self._stderr else "")
        port = self.ports.get("http") or self.ports.get("ops")
        if port is None:
            return "it listens on no port yet"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=3):
                return None
        except urllib.error.HTTPError as error:
            return f"not ready: {error.read(400).decode(errors='replace')}"
        except OSError as error:
            return f"no answer on port {port}: {error}"

    def log_tail(self, lines: int = 4) -> str:
        """The last lines of this process's log, long ones shortened from the left."""
        return "\n".join(line[-600:] for line in tail(self._log, lines).splitlines())

    # ------------------------------------------------------------------ inside

    def _give_up(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            self._wanted = False
            self._wake.set()
            return self._process

    def _spawn(self) -> None:
        self.ports.clear()
        self._stderr.clear()
        running = process.start(
            self._command,
            last_signal=signal.SIGKILL,
            env=self._env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=self._pass_fds,
        )
        self._process = running
        assert running.stdout is not None
        assert running.stderr is not None
        for stream, take in ((running.stdout, self._take_log), (running.stderr, self._take_error)):
            threading.Thread(target=self._pump, args=(stream, take), daemon=True).start()

    def _supervise(self, wake: threading.Event) -> None:
        """Wait for the process to end; start it again after a pause that doubles while it keeps failing."""
        pause = FIRST_BACKOFF
        while True:
            running = self._process
            assert running is not None
            began = time.monotonic()
            code = running.wait()
            if wake.is_set():
                return
            pause = FIRST_BACKOFF if time.monotonic() - began > STEADY_SECONDS else pause
            why = self._stderr[-1] if self._stderr else ""
            self._tell(
                "restart", self.name, f"ended ({_reason(code)}), starting again{': ' + why if why else ''}"
            )
            if wake.wait(pause):
                return
            pause = min(LONGEST_BACKOFF, pause * 2)
            with self._lock:
                if wake.is_set():
                    return
                self.restarts += 1
                self._spawn()

    def _pump(self, stream: IO[bytes], take: Callable[[str], None]) -> None:
        if self._log.exists() and self._log.stat().st_size > LARGEST_LOG:
            self._log.replace(self._log.with_suffix(".old.log"))
        with stream, self._log.open("a", encoding="utf-8") as log:
            for raw in stream:
                line = raw.decode(errors="replace")
                log.write(line)
                log.flush()
                take(line.rstrip())

    def _take_error(self, line: str) -> None:
        if line.strip():
            self._stderr.append(line)
            del self._stderr[:-20]

    def _take_log(self, line: str) -> None:
        try:
            entry = json.loads(line)
        except ValueError:
            return
        if not isinstance(entry, dict):
            return
        event = str(entry.get("event", ""))
        if event == "listening":
            self.ports[str(entry.get("kind"))] = int(entry.get("port", 0))
        elif entry.get("notice"):
            self._tell("notice", self.name, event)
        elif entry.get("level") in ("error", "critical"):
            self._tell("problem", self.name, _problem(event, entry))


def _problem(event: str, entry: Mapping[str, object]) -> str:
    """One line of an error's log entry: its reason, or the last line of its trace."""
    detail = entry.get("reason") or str(entry.get("exception", "")).strip().rpartition("\n")[2]
    return f"{event}: {detail}" if detail else event


def _reason(code: int) -> str:
    if code < 0:
        return signal.Signals(-code).name
    return f"exit code {code}"
