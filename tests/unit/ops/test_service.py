"""The frame of a service process, seen from outside: exit codes, the ops port, a graceful end, traces."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

PREAMBLE = """
import asyncio, sys
from shared.ops.service import Runtime, StartError, run
from shared.ops.settings import ServiceSettings
"""
ROOT = Path(__file__).parents[3]


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SIETCH_", "OTEL_"))}
    return kept | {"PYTHONPATH": str(ROOT), "SIETCH_NATS_URL": "nats://u:hush@localhost:1"} | more


def run_service(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PREAMBLE + textwrap.dedent(code)]
    return subprocess.run(
        command, env=environment(**env), capture_output=True, text=True, timeout=2 * PATIENCE, check=False
    )


def test_settings_that_make_no_sense_end_it_with_code_2_and_one_line() -> None:
    done = run_service("run('rules', ServiceSettings, None)", SIETCH_OPS_PORT="many")
    assert done.returncode == 2
    assert done.stderr.startswith("sietch rules: the settings are not usable: SIETCH_OPS_PORT does not fit")
    assert len(done.stderr.splitlines()) == 1


def test_what_it_lacks_is_told_in_its_log_with_code_1() -> None:
    done = run_service("""
        async def serve(runtime):
            raise StartError("no rules could be loaded")
        run('rules', ServiceSettings, serve)
    """)
    assert done.returncode == 1
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    (reason,) = [line["reason"] for line in lines if line["event"] == "cannot start"]
    assert reason == "no rules could be loaded"
    assert "hush" not in done.stdout


LEFT_OVER = """
        import asyncio, gc, threading

        def fail(text):
            raise KeyError(text)

        async def task():
            fail("lasgun#1 in a task")

        class Cell:
            def __del__(self):
                fail("lasgun#1 in a destructor")

        async def serve(runtime):
            loop = asyncio.get_running_loop()
            loop.call_soon(fail, "lasgun#1 in a callback")
            kept = asyncio.create_task(task())
            await asyncio.sleep(0.05)
            del kept
            gc.collect()
            thread = threading.Thread(target=fail, args=("lasgun#1 in a thread",))
            thread.start()
            thread.join()
            del thread
            cell = Cell()
            del cell
            raise ValueError("lasgun#1 in serve")

        run('rules', ServiceSettings, serve)
"""


def test_what_nobody_caught_is_told_without_its_text() -> None:
    done = run_service(LEFT_OVER)
    assert done.returncode == 1
    assert "lasgun" not in done.stdout + done.stderr
    entries = [json.loads(line) for line in done.stdout.splitlines()]
    told = [entry["event"] for entry in entries if "exception" in entry]
    assert sorted(told) == [
        "an error was left in the event loop",
        "an error was left in the event loop",
        "nobody caught an error",
        "nobody caught an error",
        "the service failed",
    ]


@pytest.fixture
def service() -> Iterator[subprocess.Popen[str]]:
    code = PREAMBLE + textwrap.dedent("""
        async def serve(runtime):
            runtime.health.started = True
            await runtime.drain.requested()
            await asyncio.to_thread(sys.stdin.readline)  # work in flight, finished when the test says so
        run('rules', ServiceSettings, serve)
    """)
    command = [sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment(), **pipes) as process:
        yield process
        process.kill()


def ready(port: int) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_sigterm_finishes_the_work_in_flight_while_the_ops_port_says_draining(
    service: subprocess.Popen[str],
) -> None:
    assert service.stdout is not None
    entries = (json.loads(line) for line in service.stdout)
    port = next(entry["port"] for entry in entries if entry["event"] == "listening")
    assert ready(port) == (200, '{"status":"ready"}')
    service.send_signal(signal.SIGTERM)
    assert next(entry for entry in entries if entry["event"] == "draining")
    status, body = ready(port)
    assert status == 503
    assert "draining" in body
    rest, _ = service.communicate("done\n", timeout=PATIENCE)
    assert service.returncode == 0
    assert json.loads(rest.splitlines()[-1])["event"] == "stopped"


TRACED = """
from shared.ops import tracing
print(tracing.inject({"a": "b"}))
print(tracing.setup_tracing("rules", "i1", wanted=True, ratio=1.0))
from shared.ops.logging import setup_logging
from shared.ops.stages import Stage
setup_logging("rules", "i1")
asking, answering = Stage("a.ask", "x"), Stage("b.answer", "x")
with asking():
    headers, asked = tracing.inject(), tracing.current()
with tracing.continued(headers), answering():
    print(tracing.current().trace_id == asked.trace_id)
import os, sys
sys.stdout.flush()
os._exit(0)
"""


def test_a_trace_goes_on_in_the_service_that_is_asked_and_costs_no_header_when_off() -> None:
    done = run_service(TRACED)
    assert done.stdout.splitlines() == ["{'a': 'b'}", "True", "True"]


def test_a_held_service_begins_when_the_other_end_is_closed_and_not_before() -> None:
    """The supervisor starts services while it still makes the database: their code loads meanwhile."""
    code = """
        print("loaded", flush=True)

        async def serve(runtime):
            print("begun", flush=True)
        run('rules', ServiceSettings, serve)
    """
    read, write = os.pipe()
    command = [sys.executable, "-c", PREAMBLE + textwrap.dedent(code)]
    env = environment(SIETCH_HOLD_FD=str(read))
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, pass_fds=[read]) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "loaded\n"
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.3)
        os.close(write)
        assert "begun\n" in child.stdout.read()
    os.close(read)
    assert child.returncode == 0


def test_services_load_no_library_that_only_draws() -> None:
    """structlog would load rich for traces that no service draws."""
    done = run_service("print([name for name in sys.modules if name.startswith(('rich', 'alembic'))])")
    assert done.stdout == "[]\n"
    done = run_service("import services.room.service; print('alembic' in sys.modules)")
    assert done.stdout == "False\n"
