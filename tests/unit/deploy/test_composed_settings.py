"""`make compose-restarts` finds the deployment where `.env` put it, as the operator's own commands do."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.composed.deployment import ROOT, settings


def test_env_of_the_checkout_counts_and_the_environment_before_it(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy", ignore=shutil.ignore_patterns("secrets"))
    (tmp_path / ".env").write_text(
        "# ports\nSIETCH_PORT=9180\nPROMETHEUS_PORT=9190\nCOMPOSE_PROJECT_NAME=mine\n"
    )
    given = {"PATH": os.environ["PATH"], "PROMETHEUS_PORT": "9290"}
    found = settings(tmp_path, given)
    names = ("SIETCH_PORT", "PROMETHEUS_PORT", "COMPOSE_PROJECT_NAME")
    assert [found[name] for name in names] == ["9180", "9290", "mine"]
    (tmp_path / ".env").unlink()
    assert "SIETCH_PORT" not in settings(tmp_path, given)
