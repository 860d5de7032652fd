"""A registry on this machine for a rehearsal: Debian's `docker-registry`, on a loopback port, gone afterwards."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.pipeline.errors import PipelineError
from deploy.pipeline.tools import need

PROGRAM = "docker-registry"
START_SECONDS = 60.0
LISTENS = re.compile(r"listening on (127\.0\.0\.1:[0-9]+)")


@contextmanager
def local_registry() -> Iterator[str]:
    """Yields the registry's `host:port`; it is empty at the start. Raises PipelineError when it does not start."""
    need(PROGRAM)
    with tempfile.TemporaryDirectory(prefix="sietch-registry-") as folder:
        config = Path(folder) / "config.json"  # JSON is YAML
        config.write_text(
            json.dumps(
                {
                    "version": 0.1,
                    "log": {
                        "level": "info",
                        "accesslog": {"disabled": True},
                    },  # it tells which port it was given
                    "storage": {"filesystem": {"rootdirectory": f"{folder}/data"}},
                    "http": {"addr": "127.0.0.1:0"},
                }
            )
        )
        log = Path(folder) / "log"
        with log.open("wb") as stream:
            server = subprocess.Popen([PROGRAM, "serve", str(config)], stdout=stream, stderr=stream)
        try:
            yield _wait(server, log)
        finally:
            server.terminate()
            server.wait(10)


def repositories(address: str) -> list[str]:
    """What a registry holds at all: its catalogue."""
    with urllib.request.urlopen(f"http://{address}/v2/_catalog", timeout=10) as answer:
        names = json.load(answer)["repositories"]
    return [str(name) for name in names]


def tags(address: str, repository: str) -> list[str]:
    """The tags of a repository; none when it is not there."""
    try:
        with urllib.request.urlopen(f"http://{address}/v2/{repository}/tags/list", timeout=10) as answer:
            return sorted(json.load(answer)["tags"] or [])
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return []
        raise PipelineError(f"the registry {address} answers {error.code} for {repository}") from None


def _wait(server: subprocess.Popen[bytes], log: Path) -> str:
    """The `host:port` that it was given by the system, once it answers there."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        said = log.read_text(errors="replace")
        if server.poll() is not None:
            raise PipelineError(f"{PROGRAM} ended: {said.strip()[-400:]}")
        if listens := LISTENS.search(said):
            with contextlib.suppress(OSError):
                repositories(listens[1])
                return listens[1]
        time.sleep(0.05)
    raise PipelineError(f"{PROGRAM} gives no answer after {START_SECONDS:g} s: {said.strip()[-400:]}")
