"""Programs that the pipeline calls: found, run with a limit of time, their last words kept when they fail."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence

from deploy.pipeline.errors import PipelineError

Say = Callable[[str], None]

PACKAGES = {"docker": "docker.io", "skopeo": "skopeo", "docker-registry": "docker-registry", "git": "git"}


def missing(*names: str) -> list[str]:
    """Those of the programs that are not on PATH."""
    return [name for name in names if shutil.which(name) is None]


class Failed(PipelineError):
    """A program ended with another status than 0; `output` is what it said."""

    def __init__(self, command: Sequence[str], status: int, output: str) -> None:
        last = "\n".join(output.strip().splitlines()[-6:])
        super().__init__(f"`{' '.join(command[:3])} …` ended with {status}: {last or 'it said nothing'}")
        self.status = status
        self.output = output


def run(command: Sequence[str], *, seconds: float = 120, env: Mapping[str, str] | None = None) -> str:
    """`bytes_of`, as text."""
    return bytes_of(command, seconds=seconds, env=env).decode(errors="replace")


def bytes_of(command: Sequence[str], *, seconds: float = 120, env: Mapping[str, str] | None = None) -> bytes:
    """Run a program and return what it printed. Raises PipelineError when it is missing, fails or takes too long."""
    need(command[0])
    try:
        done = subprocess.run(
            list(command),
            capture_output=True,
            timeout=seconds,
            check=False,
            env=env,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise PipelineError(f"`{' '.join(command[:3])} …` took longer than {seconds:g} s") from None
    if done.returncode:
        raise Failed(command, done.returncode, (done.stderr or done.stdout).decode(errors="replace"))
    return done.stdout


def stream(command: Sequence[str], say: Say, *, env: Mapping[str, str] | None = None) -> int:
    """Run a program whose lines people want to see as they come; its exit status is the caller's business."""
    need(command[0])
    with subprocess.Popen(
        list(command),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        env=env,
    ) as child:
        assert child.stdout is not None
        try:
            for line in child.stdout:
                say(line.rstrip())
        except BaseException:
            child.terminate()  # else leaving this block would wait until it ends by itself
            raise
    return child.returncode


def need(name: str) -> None:
    """Raise PipelineError when a program is not there."""
    if missing(name):
        raise PipelineError(
            f"the program '{name}' is not on PATH; on Debian: apt-get install {PACKAGES.get(name, name)}"
        )
