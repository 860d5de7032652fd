"""A registry on this machine for a rehearsal: Debian's `docker-registry`, on a loopback port, gone afterwards."""

from __future__ import annotations

import json
import socket
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
START_SECONDS = 15.0


@contextmanager
def local_registry() -> Iterator[str]:
    """Yields the registry's `host:port`; it is empty at the start. Raises PipelineError when it does not start."""
    need(PROGRAM)
    with tempfile.TemporaryDirectory(prefix="sietch-registry-") as folder:
        address = f"127.0.0.1:{_free_port()}"
        config = Path(folder) / "config.json"  # JSON is YAML
        config.write_text(
            json.dumps(
                {
                    "version": 0.1,
                    "log": {"level": "error", "accesslog": {"disabled": True}},
                    "storage": {"filesystem": {"rootdirectory": f"{folder}/data"}},
                    "http": {"addr": address},
                }
            )
        )
        log = Path(folder) / "log"
        with log.open("wb") as stream:
            server = subprocess.Popen([PROGRAM, "serve", str(config)], stdout=stream, stderr=stream)
        try:
            _wait(server, address, log)
            yield address
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


def _wait(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise PipelineError(f"{PROGRAM} ended: {log.read_text(errors='replace').strip()[-400:]}")
        try:
            repositories(address)
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise PipelineError(f"{PROGRAM} gives no answer on {address} after {START_SECONDS:g} s")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
