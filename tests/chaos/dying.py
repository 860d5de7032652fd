"""A service that dies at a chosen point of its code: `python -m tests.chaos.dying services.room FOLDER`.

It runs as ever until somebody writes the name of a point into `FOLDER/die`. Whoever comes by that point first takes the
file away and is gone (SIGKILL): nothing that stands behind that point happens. So a crash can be had between each two
steps, where one at a random moment almost never falls.

With `again` behind the folder it is begun anew each time somebody makes the file `FOLDER/again`, by a process that has
its code loaded and says how the one before ended: most of a start is the loading.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import json
import os
import runpy
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from services.embedded import process

__all__ = ["POINTS", "arm", "command", "struck"]

Point = tuple[str, str, str]
"""Module, the attribute there, and whether the process dies `before` or `after` it is called."""

POINTS: dict[str, dict[str, Point]] = {
    "services.room": {
        "a change is written, not committed": ("services.room.store.lobby", "_note", "after"),
        "a change is committed": ("services.room.hub", "Hub.changed", "before"),
        "a change is told": ("services.room.hub", "Hub.changed", "after"),
        "a room is committed": ("services.room.http.rooms", "set_cookie", "before"),
        "a start is decided": ("services.room.store.store", "Store.append_start", "before"),
        "a start is committed": ("services.room.store.store", "Store.append_start", "after"),
        "rules are to be asked": ("services.room.rules", "Rules.ask", "before"),
        "an answer is decided": ("services.room.store.store", "Store.append", "before"),
        "an answer is committed": ("services.room.store.store", "Store.append", "after"),
        "hints are to leave": ("services.room.decide", "Desk.announce", "after"),
        "a wake-up is to leave": ("services.room.outbox", "Outbox._publish_commit", "before"),
        "a wake-up was taken": ("services.room.outbox", "Outbox._publish_commit", "after"),
        "a task is to leave": ("services.room.outbox", "Outbox._publish_task", "before"),
        "a task was taken": ("services.room.outbox", "Outbox._publish_task", "after"),
        "what was taken is to be noted": ("services.room.outbox", "Outbox.flush", "before"),
        "a snapshot is to be kept": ("services.room.decide", "Desk._keep_snapshot", "before"),
        "a bot has looked": ("services.room.acting", "BotDesk.look", "after"),
        "a bot has answered": ("services.room.acting", "BotDesk.act", "after"),
        "a lost task is looked for": ("services.room.sweep", "Sweep._ask", "before"),
    },
    "services.rules": {
        "rules are asked": ("services.rules.service", "Worker.decide", "before"),
        "rules have decided": ("services.rules.service", "Worker.decide", "after"),
    },
    "services.projection": {
        "a commit comes": ("services.projection.rooms", "Projection.committed", "before"),
        "a commit is to be folded": ("services.projection.rooms", "Projection._apply", "before"),
        "a commit is shown": ("services.projection.rooms", "Projection._apply", "after"),
        "a commit is done with": ("services.projection.rooms", "Projection.committed", "after"),
        "a view is asked for": ("services.projection.rooms", "Projection.view", "before"),
        "a view is made": ("services.projection.rooms", "Projection.view", "after"),
    },
    "services.bot": {
        "a task comes": ("services.bot.worker", "Worker.work", "before"),
        "a bot knows its view": ("services.bot.worker", "Worker._look", "after"),
        "a bot's answer was taken": ("services.bot.worker", "Worker._act", "after"),
        "a task is done": ("services.bot.worker", "Worker.work", "after"),
    },
}
"""The points of each service, by what has just happened or is about to."""


def arm(folder: Path, point: str) -> None:
    """Let the next process that comes by this point die there."""
    fresh = folder / "die.new"
    fresh.write_text(point)
    fresh.replace(folder / "die")


def struck(folder: Path, seconds: float) -> bool:
    """Wait until somebody has died there; False, and nobody will any more, when nobody came by in that time."""
    until = time.monotonic() + seconds
    while (folder / "die").exists():
        if time.monotonic() > until:
            with contextlib.suppress(FileNotFoundError):
                (folder / "die").unlink()
                return False
        time.sleep(0.02)
    return True


def command(service: str, folder: Path) -> list[str]:
    """What runs a service so that it dies where `arm` says."""
    return [sys.executable, "-m", "tests.chaos.dying", f"services.{service}", str(folder)]


def _die_at(folder: Path, point: str) -> None:
    """Die if this point is armed; of several processes that come by at once the one that gets hold of the file does."""
    try:
        if (folder / "die").read_text() != point:
            return
        (folder / "die").rename(folder / f"died.{os.getpid()}")
    except FileNotFoundError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def _mine(work: Callable[..., Any], folder: Path, point: str, when: str) -> Callable[..., Any]:
    """The same function, with a point before or after it."""

    @functools.wraps(work)
    async def waits(*args: Any, **options: Any) -> Any:
        if when == "before":
            _die_at(folder, point)
        found = await work(*args, **options)
        if when == "after":
            _die_at(folder, point)
        return found

    @functools.wraps(work)
    def plain(*args: Any, **options: Any) -> Any:
        if when == "before":
            _die_at(folder, point)
        found = work(*args, **options)
        if when == "after":
            _die_at(folder, point)
        return found

    return waits if inspect.iscoroutinefunction(work) else plain


def _keep_beginning(service: str, folder: Path) -> None:
    """Begin the service whenever it is asked for, say how it ended, and never return but in the service itself."""
    importlib.import_module(f"{service}.service")
    me = os.getpid()
    while True:
        child = os.fork()
        if child == 0:
            if die := process._die_with_parent(signal.SIGKILL, me):
                die()
            return
        _, status = os.waitpid(child, 0)
        ended = {"event": "ended", "status": os.waitstatus_to_exitcode(status)}
        print(json.dumps(ended), flush=True)
        while not (folder / "again").exists():
            time.sleep(0.02)
        (folder / "again").unlink()


def main(service: str, folder: Path, again: bool = False) -> None:
    """Run a service with its points in place."""
    for point, (module, path, when) in POINTS[service].items():
        *owners, name = path.split(".")
        place: Any = functools.reduce(getattr, owners, importlib.import_module(module))
        setattr(place, name, _mine(getattr(place, name), folder, point, when))
    if again:
        _keep_beginning(service, folder)
    runpy.run_module(f"{service}.__main__", run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:] == ["again"])
