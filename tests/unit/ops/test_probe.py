"""The health check of a container: it says what `/readyz` says."""

from __future__ import annotations

import asyncio
import socket

import pytest

from shared.ops import probe
from shared.ops.drain import Drain
from shared.ops.health import Health, ops_app
from shared.ops.http import bind, serve_http
from tests.waiting import until


async def test_it_tells_ready_from_not_ready() -> None:
    health, drain, sock = Health(), Drain(), bind("127.0.0.1", 0)
    port = sock.getsockname()[1]
    serving = asyncio.create_task(serve_http(ops_app(health), drain, kind="ops", fd=sock.detach()))
    try:
        told: list[tuple[bool, str]] = []

        async def answers() -> bool:
            told.append(await asyncio.to_thread(probe.ready, port))
            return "no answer" not in told[-1][1]

        await until(answers, "an answer")
        well, text = told[-1]
        assert not well
        assert "has not finished starting" in text
        health.started = True
        assert await asyncio.to_thread(probe.ready, port) == (True, '{"status":"ready"}')
    finally:
        drain.ask()
        await serving


def test_a_port_where_nobody_listens_is_not_ready() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        well, text = probe.ready(taken.getsockname()[1])
    assert not well
    assert text.startswith("no answer from the ops port")


@pytest.mark.parametrize("port", ["", "0", "many"])
def test_without_a_port_it_says_so(
    port: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SIETCH_OPS_PORT", port)
    assert probe.main() == 1
    assert "SIETCH_OPS_PORT" in capsys.readouterr().err
