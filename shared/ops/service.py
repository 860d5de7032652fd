"""The frame of a service process: what all four have in common around their own `serve` function.

    # services/rules/__main__.py
    from shared.ops.service import run
    from services.rules.service import RulesSettings, serve

    run("rules", RulesSettings, serve)

`serve(runtime)` sets itself up, then sets `runtime.health.started = True`, then waits for
`runtime.drain.requested()`, and closes what it opened before it returns.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Generic, NoReturn, TypeVar

from shared.ops import faults, metrics
from shared.ops.drain import Drain
from shared.ops.health import Health, ops_app
from shared.ops.http import serve_http
from shared.ops.logging import get_logger, setup_logging
from shared.ops.settings import ServiceSettings, SettingsError, describe, read
from shared.ops.tasks import end_tasks
from shared.ops.tracing import setup_tracing, stop_tracing

VERSION = "0.1.0"

S = TypeVar("S", bound=ServiceSettings)

log = get_logger("service")


class StartError(Exception):
    """The service cannot start; the text says what was tried and what to do. It is shown without a trace."""


class Runtime(Generic[S]):
    """What `serve` is handed: the name of the service, its settings, health and drain."""

    def __init__(self, name: str, settings: S) -> None:
        self.name = name
        self.settings = settings
        self.health = Health()
        self.drain = Drain()


def run(
    name: str,
    settings_type: type[S],
    serve: Callable[[Runtime[S]], Awaitable[None]],
) -> NoReturn:
    """Run one service until it is asked to end, then leave the process: 0 in peace, 1 on a fault, 2 on settings."""
    gc.enable()  # everything is loaded
    try:
        settings = read(settings_type)
    except SettingsError as error:
        print(f"sietch {name}: {error}", file=sys.stderr)
        sys.exit(2)
    if settings.hold_fd is not None:
        _hold(settings.hold_fd)
    setup_logging(name, settings.instance, settings.log, settings.log_level)
    faults.hear_all()
    setup_tracing(name, settings.instance, settings.trace, settings.trace_ratio)
    revision = os.environ.get("SIETCH_REVISION", "")[:12] or "unknown"
    metrics.BUILD.labels(service=name, version=VERSION, revision=revision).set(1)
    try:
        code = _loop_run(_main(name, settings, serve))
    except KeyboardInterrupt:
        code = 130
    stop_tracing()
    sys.stdout.flush()
    sys.stderr.flush()
    # Everything of ours is closed; taking the interpreter apart would hold a restart up by half a second.
    os._exit(code)


def _hold(fd: int) -> None:
    """Wait until the other end of a pipe is closed (or written to): what this service needs is then there."""
    os.read(fd, 1)
    os.close(fd)


def _loop_run(main: Coroutine[None, None, int]) -> int:
    if sys.platform == "win32":
        return asyncio.run(main)
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


async def _main(name: str, settings: S, serve: Callable[[Runtime[S]], Awaitable[None]]) -> int:
    runtime = Runtime(name, settings)
    runtime.drain.on_signals()
    faults.hear_loop(asyncio.get_running_loop())
    log.info("starting", settings=describe(settings))
    watching = (metrics.watch_loop_lag(), _mark_draining(runtime), _settle(runtime))
    watchers = [asyncio.create_task(watcher) for watcher in watching]
    # The ops port outlives the drain: whoever asks /readyz meanwhile hears `draining`, not a refused connection.
    end = Drain()
    ops = asyncio.create_task(_serve_ops(runtime, end))
    try:
        await serve(runtime)
    except StartError as error:
        log.error("cannot start", reason=str(error))
        return 1
    except Exception:
        log.exception("the service failed")
        return 1
    finally:
        end.ask()
        await end_tasks(*watchers)
        await asyncio.gather(ops, return_exceptions=True)
    log.info("stopped")
    return 0


async def _serve_ops(runtime: Runtime[S], end: Drain) -> None:
    settings = runtime.settings
    try:
        await serve_http(
            ops_app(runtime.health), end, kind="ops", host=settings.ops_host, port=settings.ops_port
        )
    except OSError as error:
        log.error("the ops port is not served", reason=str(error))
        runtime.drain.ask()


async def _settle(runtime: Runtime[S]) -> None:
    """Once started: leave all that was loaded out of every later search for garbage, which holds an action up."""
    with contextlib.suppress(asyncio.CancelledError):
        await runtime.health.up.wait()
        gc.collect()
        gc.freeze()


async def _mark_draining(runtime: Runtime[S]) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        await runtime.drain.requested()
        runtime.health.draining = True
        log.info("draining")
