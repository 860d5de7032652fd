"""The composed deployment as a test sees it: the commands of its operator, its door, and the way to its database."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROJECT = os.environ.get("COMPOSE_PROJECT_NAME", "sietch")
SECRETS = Path(os.environ.get("SIETCH_SECRETS") or ROOT / "deploy" / "secrets")
DOOR = f"http://127.0.0.1:{os.environ.get('SIETCH_PORT', '8080')}"


def compose(*words: str) -> str:
    """Run a command of compose on the deployment. Raises CalledProcessError when it fails."""
    command = [str(ROOT / "deploy" / "compose" / "do"), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=400).stdout


def ready(seconds: int = 240) -> None:
    """Return when every container is well. Raises CalledProcessError whose output says which is not."""
    script = f'. "{ROOT}/deploy/image/lib.sh"; ready {seconds}'
    subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True)


def ids(service: str) -> list[str]:
    """The containers of a service that run."""
    labels = [f"label=com.docker.compose.{key}" for key in (f"project={PROJECT}", f"service={service}")]
    command = ["docker", "ps", "--quiet", *(word for label in labels for word in ("--filter", label))]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def inspect(container: str) -> dict[str, Any]:
    """What the engine knows of a container."""
    done = subprocess.run(["docker", "inspect", container], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)[0]
    return found


def address(service: str, network: str) -> str:
    """The address of a service's first container in one of the deployment's networks; this host reaches it."""
    return address_of(ids(service)[0], network)


def address_of(container: str, network: str) -> str:
    """The address of a container in one of the deployment's networks."""
    script = f'{{{{(index .NetworkSettings.Networks "{PROJECT}_{network}").IPAddress}}}}'
    command = ["docker", "inspect", "--format", script, container]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def database_url() -> str:
    """The database's URL as this host reaches it; it holds the password."""
    url = (SECRETS / "database_url").read_text().strip()
    return url.replace("@postgres:", f"@{address('postgres', 'store')}:")
