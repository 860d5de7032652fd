"""Readiness and the ops port's answers."""

from __future__ import annotations

import json

from shared.ops.health import Health, answer


async def ready(health: Health) -> tuple[int, dict[str, object]]:
    status, _, body = await answer(health, "/readyz")
    return status, json.loads(body)


async def test_not_ready_before_started_and_while_draining() -> None:
    health = Health()
    assert (await ready(health))[0] == 503
    health.started = True
    assert await ready(health) == (200, {"status": "ready"})
    health.draining = True
    status, body = await ready(health)
    assert status == 503
    assert "draining" in str(body["problems"])


async def test_a_failed_check_and_a_check_that_raises_are_named() -> None:
    health = Health()
    health.started = True

    async def bad() -> str | None:
        return "no connection"

    async def raises() -> str | None:
        raise RuntimeError("lasgun#1")

    async def refused() -> str | None:
        raise ConnectionRefusedError(111, "Connection refused")

    async def good() -> str | None:
        return None

    health.add("postgres", bad)
    health.add("nats", raises)
    health.add("rules", good)
    health.add("disk", refused)
    status, body = await ready(health)
    assert status == 503
    assert body["problems"] == {
        "postgres": "no connection",
        "nats": "RuntimeError",
        "disk": "ConnectionRefusedError: Connection refused",
    }


async def test_live_while_not_ready_and_metrics_in_prometheus_form() -> None:
    health = Health()
    assert (await answer(health, "/livez"))[0] == 200
    status, kind, body = await answer(health, "/metrics")
    assert status == 200
    assert kind.startswith("text/plain")
    assert b"sietch_event_loop_lag_seconds_bucket" in body


async def test_other_paths_are_unknown() -> None:
    assert (await answer(Health(), "/secrets"))[0] == 404
