"""The composed deployment as a test sees it: the commands of its operator, its door, and the way to its database."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def settings(root: Path, given: Mapping[str, str]) -> dict[str, str]:
    """What the operator's commands go by: the environment, then `.env` of the checkout, as those commands read them."""
    script = f'. "{root}/deploy/image/lib.sh"; names; env -0'
    said = subprocess.run(["bash", "-c", script], env=dict(given), check=True, capture_output=True, text=True)
    return dict(entry.split("=", 1) for entry in said.stdout.split("\0") if "=" in entry)


SETTINGS = settings(ROOT, os.environ)
PROJECT = SETTINGS.get("COMPOSE_PROJECT_NAME") or "sietch"
SECRETS = Path(SETTINGS.get("SIETCH_SECRETS") or ROOT / "deploy" / "secrets")
DOOR = f"http://127.0.0.1:{SETTINGS.get('SIETCH_PORT') or '8080'}"
PROMETHEUS = f"http://127.0.0.1:{SETTINGS.get('PROMETHEUS_PORT') or '9090'}"


def compose(*words: str) -> str:
    """Run a command of compose on the deployment. Raises CalledProcessError when it fails."""
    command = [str(ROOT / "deploy" / "compose" / "do"), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=400).stdout


def ready(seconds: int = 240) -> None:
    """Return when every container is well. Raises CalledProcessError whose output says which is not."""
    script = f'. "{ROOT}/deploy/image/lib.sh"; names; ready {seconds}'
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
