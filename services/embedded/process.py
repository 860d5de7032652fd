"""Children that cannot outlive us: own process group, and a signal from the kernel when we die.

The kernel sends that signal when the *thread* that started the child ends, so all children are started by one
thread that lives as long as the process.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from services.embedded.account import Account

_PR_SET_PDEATHSIG = 1
_starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sietch-starter")
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

Out = int | IO[bytes]


def start(
    command: Sequence[str],
    *,
    last_signal: signal.Signals,
    account: Account | None = None,
    env: Mapping[str, str] | None = None,
    stdout: Out = subprocess.DEVNULL,
    stderr: Out = subprocess.DEVNULL,
    cwd: Path | None = None,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a child in its own process group; it gets `last_signal` when this process ends, however it ends."""
    options: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": stdout,
        "stderr": stderr,
        "env": None if env is None else dict(env),
        "cwd": cwd,
        "pass_fds": tuple(pass_fds),
        "start_new_session": True,
        "preexec_fn": _die_with_parent(last_signal, os.getpid()),
    }
    if account is not None:
        options |= account.popen()
    return _starter.submit(lambda: subprocess.Popen(list(command), **options)).result()


def _die_with_parent(number: signal.Signals, parent: int) -> Callable[[], None] | None:
    libc = _libc
    if libc is None:
        return None

    def arrange() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if os.getppid() != parent:  # the parent died before the line above
            os.kill(os.getpid(), number)

    return arrange


def send(child: subprocess.Popen[bytes], number: signal.Signals, *, group: bool = False) -> None:
    """Send a signal to a child (or its whole group); a child that is gone already is fine."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if group:
            os.killpg(child.pid, number)
        elif child.poll() is None:
            child.send_signal(number)


def stop(child: subprocess.Popen[bytes], number: signal.Signals, seconds: float) -> bool:
    """Ask a child to end and wait; after `seconds` kill its group. Returns whether it ended by itself."""
    send(child, number)
    try:
        child.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        send(child, signal.SIGKILL, group=True)
        child.wait(10)
        return False


def alive(pid: int) -> bool:
    """Whether a process with this id exists and is no zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return True
    return stat.read_text(errors="replace").rpartition(")")[2].split()[0] != "Z"
