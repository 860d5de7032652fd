"""Prometheus scrapes every replica of the composed deployment, and loaded the alerts; see `make compose-restarts`."""

from __future__ import annotations

import os
import time
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.composed import deployment as composed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("SIETCH_COMPOSED"),
        reason="needs a composed deployment: make compose-up, then make compose-restarts",
    ),
]

JOBS = ("room", "rules", "projection", "bot", "proxy")


def addresses(job: str) -> set[str]:
    """Where the replicas of a service are in the network of the ops ports."""
    return {composed.address_of(container, "ops") for container in composed.ids(job)}


def scraped() -> dict[str, set[str]]:
    """The addresses that Prometheus got metrics from, by job."""
    told: dict[str, Any] = httpx.get(f"{composed.PROMETHEUS}/api/v1/targets", timeout=10).json()
    found: dict[str, set[str]] = {job: set() for job in JOBS}
    for target in told["data"]["activeTargets"]:
        if target["health"] == "up":
            host = urlsplit(target["scrapeUrl"]).hostname or ""
            found.setdefault(target["labels"]["job"], set()).add(host)
    return found


def test_every_replica_of_every_service() -> None:
    composed.ready()
    wanted = {job: addresses(job) for job in JOBS}
    assert all(len(wanted[job]) == 2 for job in JOBS if job != "proxy")
    deadline = time.monotonic() + 60  # an address is found within ten seconds, and scraped within fifteen
    while any(not wanted[job] <= scraped()[job] for job in JOBS):
        assert time.monotonic() < deadline, (wanted, scraped())
        time.sleep(2)


def test_the_alerts_are_loaded_and_none_is_wrong() -> None:
    groups = httpx.get(f"{composed.PROMETHEUS}/api/v1/rules", timeout=10).json()["data"]["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    assert len(rules) >= 15
    assert [rule["name"] for rule in rules if rule.get("lastError")] == []
