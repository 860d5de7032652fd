"""The verifier's means to restart services: it asks with a file, and who has the engine does it and answers.

The verifier runs in a container that leads nowhere, and an engine's socket in there would be a way out.
"""

from __future__ import annotations

import shlex
import shutil
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy.pipeline.errors import PipelineError

EVERY_SECONDS = 0.1

# Words: the folder, the service. Ends with 0 when the service was restarted, else says why not.
ASK = """
import pathlib, sys, time
ask = pathlib.Path(sys.argv[1], sys.argv[2])
answer = ask.with_suffix(".answer")
answer.unlink(missing_ok=True)
ask.touch()
while not answer.exists(): time.sleep(0.1)
sys.exit(answer.read_text() or 0)
"""


def restart_command(folder: str) -> str:
    """What `sietch verify http --restart-command` takes; `folder` is where the verifier sees the Restarter's."""
    return f"python3 -S -c {shlex.quote(ASK)} {folder} {{service}}"


class Restarter:
    """`with Restarter(folder, restart, services):` carries out what is asked in the folder meanwhile."""

    def __init__(self, folder: Path, restart: Callable[[str], None], services: Collection[str]) -> None:
        self._folder = folder
        self._restart = restart
        self._services = services
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="restarter", daemon=True)

    def __enter__(self) -> Self:
        self._folder.mkdir()
        # Who asks is the image's own user, who is nobody here.
        self._folder.chmod(0o777)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        shutil.rmtree(self._folder)

    def _watch(self) -> None:
        while not self._over.wait(EVERY_SECONDS):
            for ask in [path for path in self._folder.iterdir() if not path.suffix]:
                ask.unlink()
                # Whole from the beginning: who waits for the file reads it at once. And new: the image that is judged
                # can put links here, and through one it would have us write where it cannot.
                said = ask.with_suffix(".new")
                said.unlink(missing_ok=True)
                with said.open("x") as answer:
                    answer.write(self._answer(ask.name))
                said.rename(ask.with_suffix(".answer"))

    def _answer(self, service: str) -> str:
        if service not in self._services:
            return f"{service} is not to be restarted, only {', '.join(self._services)}"
        try:
            self._restart(service)
        except PipelineError as error:
            return str(error)
        return ""
