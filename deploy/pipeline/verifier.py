"""The image's own verifiers, run from the image against a deployment of the image."""

from __future__ import annotations

from pathlib import Path

from deploy.pipeline.engine import Docker
from deploy.pipeline.isolated import DOOR, Isolated, Servers
from deploy.pipeline.tools import Say


class InIsolation:
    """`sietch verify http` and then `sietch verify store`, in a network of their own with fresh servers."""

    def __init__(self, engine: Docker, servers: Servers) -> None:
        self._engine = engine
        self._servers = servers

    def __call__(self, image_id: str, reports: Path, quick: bool, say: Say) -> dict[str, int]:
        """Verify the image; the store is looked at after everything that was played in it."""
        subset = ["--quick"] if quick else []
        commands = {
            "http": ["http", "--url", DOOR, "--report", "/reports/http.json", *subset],
            "store": ["store", "--report", "/reports/store.json"],
        }
        with Isolated(self._engine, image_id, self._servers, say) as deployed:
            checks = {name: deployed.verify(words, reports, say) for name, words in commands.items()}
            if any(checks.values()):
                deployed.logs(reports / "logs")
        return checks
