"""The health check of a container: it says what `/readyz` says."""

from __future__ import annotations

import asyncio
import socket

import pytest

from shared.ops import probe
from shared.ops.drain import Drain
from shared.ops.health import Health, ops_app
from shared.ops.http import serve_http


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


async def test_it_tells_ready_from_not_ready() -> None:
    health, drain, port = Health(), Drain(), free_port()
    serving = asyncio.create_task(serve_http(ops_app(health), drain, kind="ops", host="127.0.0.1", port=port))
    try:
        well, text = False, ""
        for _ in range(100):
            well, text = await asyncio.to_thread(probe.ready, port)
            if "no answer" not in text:
                break
            await asyncio.sleep(0.02)
        assert not well
        assert "has not finished starting" in text
        health.started = True
        assert await asyncio.to_thread(probe.ready, port) == (True, '{"status":"ready"}')
    finally:
        drain.ask()
        await serving


def test_a_port_where_nobody_listens_is_not_ready() -> None:
    well, text = probe.ready(free_port())
    assert not well
    assert text.startswith("no answer from the ops port")


@pytest.mark.parametrize("port", ["", "0", "many"])
def test_without_a_port_it_says_so(
    port: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SIETCH_OPS_PORT", port)
    assert probe.main() == 1
    assert "SIETCH_OPS_PORT" in capsys.readouterr().err
