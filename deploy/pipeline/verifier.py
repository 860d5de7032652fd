"""The image's own verifiers, run from the image against a deployment of the image."""

from __future__ import annotations

from pathlib import Path

from deploy.pipeline.engine import Docker
from deploy.pipeline.isolated import DOOR, Isolated, Servers
from deploy.pipeline.restarting import Restarter, restart_command
from deploy.pipeline.tools import Say

# Not the front door, which has no proxy before it here, nor NATS, whose streams lie in memory here.
RESTARTED = ("rules", "projection", "bot", "postgres")
TIMEOUT = 2400
"""Seconds that the verifier may take over HTTP; on two busy cores it takes its time."""


class InIsolation:
    """`sietch verify http` and then `sietch verify store`, in a network of their own with fresh servers."""

    def __init__(self, engine: Docker, servers: Servers) -> None:
        self._engine = engine
        self._servers = servers

    def __call__(self, image_id: str, reports: Path, quick: bool, say: Say) -> dict[str, int]:
        """Verify the image; the store is held against all that was promised to clients before."""
        means = ["--restart-command", restart_command("/reports/restart"), "--services", ",".join(RESTARTED)]
        subset = ["--quick"] if quick else means
        # What was promised holds tokens of this run, so it is no report.
        promised = ["--promises", "/reports/promises"]
        commands = {
            "http": ["http", "--url", DOOR, "--timeout", str(TIMEOUT), *_reports("http"), *promised, *subset],
            "store": ["store", *_reports("store"), *promised],
        }
        replicas = 1 if quick else 2
        try:
            with Isolated(self._engine, image_id, self._servers, say, replicas=replicas) as deployed:
                with Restarter(reports / "restart", deployed.restart, RESTARTED):
                    checks = {name: deployed.verify(words, reports, say) for name, words in commands.items()}
                if any(checks.values()):
                    deployed.logs(reports / "logs")
        finally:
            (reports / "promises").unlink(missing_ok=True)
        return checks


def _reports(name: str) -> list[str]:
    """One report for programs and one for people."""
    return [word for kind in ("json", "md") for word in ("--report", f"/reports/{name}.{kind}")]
