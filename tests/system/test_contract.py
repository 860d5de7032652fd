"""The service does what its OpenAPI document says: Schemathesis asks it, with data that fit and data that do not.

`SIETCH_CONTRACT_EXAMPLES` (by default 8) is how many requests are tried of each operation in each round; with more than
that, those that cover every part of its document and sequences of requests are tried as well (some minutes).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from services.embedded import Deployment
from services.verifier.room import Room

pytestmark = pytest.mark.slow

FEW = 8
EXAMPLES = int(os.environ.get("SIETCH_CONTRACT_EXAMPLES", FEW))
STREAM = "/api/rooms/{code}/stream"

# 422 is a valid request that a rule of the game refuses.
CONFIG = """
base-url = "{url}"
hooks = "{hooks}"
{parameters}
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "422", "429"]

# The table of a scenario is a language of its own (docs/cases.md), which every conformance case speaks over HTTP.
[[operations]]
include-path = "/api/scenarios"
[operations.checks.positive_data_acceptance]
enabled = false
"""


def lobby(sietch: Deployment) -> tuple[dict[str, str], str]:
    with Room(sietch.url, seats=6) as room:
        room.sit("atreides")
        return {"path.code": room.code}, f"{room.host}.{room.tokens['atreides']}"


def running(sietch: Deployment) -> tuple[dict[str, str], str]:
    table = {"seats": ["atreides", "harkonnen"], "phase": "storm"}
    made = httpx.post(f"{sietch.url}/api/scenarios", json={"table": table}, timeout=30).json()
    return {"path.code": made["code"]}, f"{made['host_token']}.{made['seats']['atreides']}"


def nowhere(_: Deployment) -> tuple[dict[str, str], str]:
    return {}, ""


@pytest.mark.parametrize("place", [nowhere, lobby, running])
def test_the_service_keeps_to_its_document(
    deployment: Deployment, tmp_path: Path, place: Callable[[Deployment], tuple[dict[str, str], str]]
) -> None:
    parameters, token = place(deployment)
    told = "\n".join(f'"{name}" = "{value}"' for name, value in parameters.items())
    hooks = Path(__file__).with_name("contract_hooks.py")
    config = tmp_path / "schemathesis.toml"
    config.write_text(
        CONFIG.format(
            url=deployment.url, hooks=hooks, parameters=f"[parameters]\n{told}\n" if parameters else ""
        )
    )
    command = [
        *(str(Path(sys.executable).with_name("st")), "--config-file", str(config)),
        *("run", f"{deployment.url}/api/openapi.json", "--no-color", "--warnings", "off"),
        *("--exclude-path", STREAM),  # it does not end: see below
        *("--mode", "all", "--no-shrink", "--generation-database", "none"),
        *("--max-examples", str(EXAMPLES), "--seed", "7", "--request-timeout", "30"),
        *("--phases", "coverage,fuzzing,stateful" if EXAMPLES > FEW else "fuzzing"),
        *(("-H", f"Authorization: Bearer {token}") if token else ()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


def test_the_stream_keeps_to_its_document(deployment: Deployment) -> None:
    """Only the beginning of each is read: a stream ends when its reader likes."""
    document = requests.get(f"{deployment.url}/api/openapi.json", timeout=30).json()
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=deployment.url)
    operation = schema[STREAM]["GET"]
    codes = ["ABC234", lobby(deployment)[0]["path.code"], running(deployment)[0]["path.code"]]
    statuses: set[int] = set()

    @settings(
        max_examples=10 * EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def ask(case: schemathesis.Case) -> None:
        if len(statuses) % 2 or case.path_parameters is None:
            case.path_parameters = {"code": codes[len(str(case.query)) % 3]}
        wanted = case.as_transport_kwargs()
        with requests.request(**wanted, stream=True, timeout=30) as reply:
            if reply.status_code == 200:
                reply._content = next(reply.iter_content(256))
            statuses.add(reply.status_code)
            case.validate_response(reply)

    ask()
    assert statuses >= {400, 404} or statuses >= {200, 404}, statuses
