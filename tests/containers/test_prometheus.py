"""The Prometheus that the deployment runs reads its configuration and rules, and the rules' tests hold in it."""

from __future__ import annotations

import subprocess

import pytest

from tests.containers.servers import ROOT, image, missing

WHY_NOT = missing("PROMETHEUS_IMAGE")
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "")


@pytest.mark.parametrize(
    "words",
    [
        ("check", "config", "prometheus.yml"),
        ("check", "rules", "alerts.yml"),
        ("test", "rules", "tests/alerts.yml"),
    ],
    ids=["config", "rules", "tests"],
)
def test_the_image_says_so(words: tuple[str, ...]) -> None:
    shut = ("--rm", "--network", "none", "--read-only", "--tmpfs", "/tmp", "--entrypoint", "promtool")
    files = ("--volume", f"{ROOT}/deploy/prometheus:/etc/prometheus:ro", "--workdir", "/etc/prometheus")
    command = ["docker", "run", *shut, *files, image("PROMETHEUS_IMAGE"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
