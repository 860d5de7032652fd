"""The whole deployment as processes: up, hurt, down, and up again with its rooms."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from typer.testing import CliRunner

from services.cli.metrics import MODULES, declared
from services.cli.play import app as play
from services.embedded import Deployment, EmbeddedError
from services.embedded.home import address_here
from services.verifier.room import PATIENCE, until

Make = Callable[..., Deployment]


def make_room(sietch: Deployment, name: str) -> str:
    answer = httpx.post(f"{sietch.url}/api/rooms", json={"name": name}, timeout=PATIENCE)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["code"])


def room_names(sietch: Deployment) -> set[str]:
    answer = httpx.get(f"{sietch.url}/api/rooms", params={"state": "lobby"}, timeout=PATIENCE)
    assert answer.status_code == 200, answer.text
    return {room["name"] for room in answer.json()}


def test_it_is_up_and_every_service_says_so(deployment: Deployment) -> None:
    assert httpx.get(deployment.url, timeout=PATIENCE).status_code == 200
    for service in ("rules", "projection", "bot", "room"):
        for url in deployment.replica_urls(service):
            assert httpx.get(f"{url}/readyz", timeout=PATIENCE).json() == {"status": "ready"}
        for url in deployment.ops_urls(service):
            metrics = httpx.get(f"{url}/metrics", timeout=PATIENCE).text
            assert re.search(rf'^sietch_build_info{{.*service="{service}".*}} 1.0$', metrics, re.M)
    # The counts of commands are for the operator: at the players' door they would tell of secret ones.
    for url in (deployment.url, *deployment.replica_urls("room")):
        assert httpx.get(f"{url}/metrics", timeout=PATIENCE).status_code == 404
    assert httpx.get(f"{deployment.url}/livez", timeout=PATIENCE).status_code == 200


def test_every_metric_that_is_documented_is_told(deployment: Deployment) -> None:
    known = declared()
    for service in MODULES:
        wanted = {one.metric.name for one in known if service in one.services}
        for url in deployment.ops_urls(service):
            text = httpx.get(f"{url}/metrics", timeout=PATIENCE).text
            assert wanted - set(re.findall(r"^# HELP (\S+)", text, re.M)) == set(), service


def test_each_service_is_known_to_the_store_by_its_own_role(deployment: Deployment) -> None:
    # The lobbies' pool connects when it is needed.
    httpx.post(f"{deployment.url}/api/rooms", json={}, timeout=PATIENCE)
    query = (
        "SELECT DISTINCT application_name, usename FROM pg_stat_activity WHERE application_name ~ '^sietch-'"
    )
    with psycopg.connect(deployment.database_url) as connection:
        found = dict(connection.execute(query).fetchall())
        (superuser,) = connection.execute("SELECT usename FROM pg_user WHERE usesuper").fetchall()
    assert found == {
        "sietch-room": "sietch_room",
        "sietch-room-lobby": "sietch_room",
        "sietch-projection": "sietch_projection",
    }
    assert superuser == ("sietch",)


def test_no_log_holds_a_password_or_a_token(deployment: Deployment) -> None:
    answer = httpx.post(f"{deployment.url}/api/rooms", json={"name": "quiet"}, timeout=PATIENCE).json()
    secrets = [answer["host_token"]]
    roles = [deployment.database_url_for(service) for service in ("room", "projection", "verifier")]
    for url in (deployment.database_url, *roles, deployment.nats_url):
        secrets += re.findall(r"://[^:]+:([^@]+)@", url)
    assert len(set(secrets)) == 6
    logs = "".join(path.read_text(errors="replace") for path in deployment.log_folder.glob("*.log"))
    assert "quiet" not in secrets
    assert [secret for secret in secrets if secret in logs] == []


def test_rooms_survive_the_end_of_everything(own_deployment: Make) -> None:
    first = own_deployment()
    make_room(first, "before")
    for name in ("room", "rules", "projection", "bot"):
        first.kill(name, restart=False)
    first.kill("nats")
    first.kill("postgres")
    first.down()
    again = own_deployment()
    assert room_names(again) == {"before"}
    make_room(again, "after")
    assert room_names(again) == {"before", "after"}


@pytest.fixture(scope="module")
def hurt() -> Iterator[Deployment]:
    """One whose parts are killed, again and again: each test leaves it well."""
    folder = Path(tempfile.mkdtemp(prefix="sietch-test-"))
    folder.chmod(0o755)
    with Deployment(folder, env={"SIETCH_RATE_FACTOR": "0"}, durable=False, replicas={"room": 2}) as made:
        yield made
    shutil.rmtree(folder, ignore_errors=True)


def test_a_killed_service_is_started_again(hurt: Deployment) -> None:
    sietch = hurt
    for victim in ("rules", "projection", "bot", "room"):
        before = sietch.children[victim][0].pid
        sietch.kill(victim)
        until(
            lambda victim=victim, old=before: sietch.children[victim][0].pid not in (old, None),
            "a new process",
        )
        sietch.wait_ready([victim])
        assert sietch.children[victim][0].pid != before
        make_room(sietch, f"after {victim}")
    assert len(room_names(sietch)) >= 4


def test_a_restart_of_the_front_door_refuses_nobody(hurt: Deployment) -> None:
    sietch = hurt
    assert len(sietch.replica_urls("room")) == 2
    for index in (0, 1):
        sietch.kill("room", index)
        for attempt in range(5):
            # A connection that the killed process had accepted is lost; a new one is never refused.
            answer = httpx.get(f"{sietch.url}/api/limits", timeout=PATIENCE)
            assert answer.status_code == 200, attempt
        sietch.wait_ready(["room"])


def test_servers_that_were_away_are_found_again(hurt: Deployment) -> None:
    sietch = hurt
    for server in ("nats", "postgres"):
        sietch.kill(server)
        time.sleep(0.3)
        sietch.start(server)
        sietch.wait_ready()
        make_room(sietch, f"after {server}")
    assert room_names(sietch) >= {"after nats", "after postgres"}


def test_a_taken_port_is_named(own_deployment: Make, deployment: Deployment) -> None:
    port = int(deployment.url.rpartition(":")[2])
    with pytest.raises(EmbeddedError, match=f"cannot listen on 127.0.0.1:{port}: Address already in use"):
        own_deployment(port=port)


def test_a_database_that_cannot_be_reached_is_named_without_its_password(own_deployment: Make) -> None:
    with pytest.raises(EmbeddedError, match="database") as caught:
        own_deployment(env={"SIETCH_DATABASE_URL": "postgresql://u:hush@127.0.0.1:1/none"})
    assert "hush" not in str(caught.value)


@pytest.fixture
def sietch_up(open_folder: Path) -> Iterator[subprocess.Popen[str]]:
    """`sietch up` as a person starts it, with its data in `open_folder`."""
    command = [sys.executable, "-m", "services.cli", "up", "--home", str(open_folder)]
    env = {key: value for key, value in os.environ.items() if not key.startswith("SIETCH_")}
    env["SIETCH_HTTP_PORT"] = "0"
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as up:
        yield up
        up.kill()


def test_sietch_up_prints_its_address_and_ends_cleanly(
    sietch_up: subprocess.Popen[str], open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And of a first start no log holds what looks like a fault."""
    assert sietch_up.stdout is not None
    ready = next(line for line in sietch_up.stdout if "ready after" in line)
    found = re.search(r"http://127\.0\.0\.1:\d+", ready)
    assert found, ready
    assert faults_in(open_folder / "logs") == []
    assert httpx.get(found[0], timeout=PATIENCE).status_code == 200
    httpx.post(f"{found[0]}/api/rooms", json={"name": "told"}, timeout=PATIENCE)
    monkeypatch.setenv("SIETCH_HOME", str(open_folder))
    monkeypatch.delenv("SIETCH_URL", raising=False)
    played = CliRunner().invoke(play, ["--seats", "2", "--seed", "4", "--last-turn", "1"])
    assert played.exit_code == 0, "it finds the port by itself: " + played.output
    sietch_up.send_signal(signal.SIGTERM)
    rest, _ = sietch_up.communicate(timeout=2 * PATIENCE)
    assert sietch_up.returncode == 0
    assert re.search(r"room +.*was made", rest)
    assert rest.strip().endswith("stopped; games are kept")
    assert processes_below(open_folder) == []
    assert address_here(open_folder) == ""


FAULT = re.compile(r'"level":"(warning|error|critical)"|FATAL:|ERROR:|WARNING:|\[(WRN|ERR|FTL)\]|Traceback')
KNOWN = "Plaintext passwords detected"
"""What NATS says of passwords in its configuration: they are random, of this start, in a file of its own account."""
OFTEN = 5
"""How often a log may say the same: more looks like something that does not come to an end."""
EVENT = re.compile(r'"event":"([^"]+)"')


def faults_in(folder: Path) -> list[str]:
    """Lines that would make an operator look twice: warnings, errors, and what is said again and again."""
    found = []
    for log in sorted(folder.glob("*.log")):
        text = log.read_text(errors="replace")
        assert text, f"{log} is empty"
        found += [
            f"{log.name}: {line}" for line in text.splitlines() if FAULT.search(line) and KNOWN not in line
        ]
        said = Counter(EVENT.findall(text))
        found += [f"{log.name}: {times} times {what}" for what, times in said.items() if times > OFTEN]
    return found


def test_ctrl_c_while_starting_ends_everything(sietch_up: subprocess.Popen[str], open_folder: Path) -> None:
    assert sietch_up.stdout is not None
    assert "starting" in sietch_up.stdout.readline()
    time.sleep(0.7)
    sietch_up.send_signal(signal.SIGINT)
    sietch_up.communicate(timeout=2 * PATIENCE)
    assert sietch_up.returncode == 0
    assert processes_below(open_folder) == []


def processes_below(folder: Path) -> list[str]:
    """Command lines of processes that name the folder: servers on its data."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in words:
            found.append(words)
    return found
