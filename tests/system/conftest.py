"""A deployment for the files whose tests race: two replicas of the front door and of the rules behind one address."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.embedded import Deployment


@pytest.fixture(scope="module")
def pair() -> Iterator[Deployment]:
    """Two of room and two of rules, no rate limits, scenarios allowed (so that a seed can be stated)."""
    folder = Path(tempfile.mkdtemp(prefix="sietch-test-"))
    folder.chmod(0o755)
    env = {"SIETCH_SCENARIOS": "1", "SIETCH_RATE_FACTOR": "0"}
    with Deployment(folder, env=env, durable=False, replicas={"room": 2, "rules": 2}) as made:
        yield made
    shutil.rmtree(folder, ignore_errors=True)
