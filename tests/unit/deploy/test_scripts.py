"""The scripts of a deployment: secrets are made once, and without an engine each says so in one line."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from services.room.store.roles import RIGHTS
from shared.ops.settings import ServiceSettings, read
from shared.wire.identities import IDENTITIES
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[3]
ENGINE = [
    "image/build",
    "image/bases",
    "image/pin",
    "compose/up",
    "compose/verify",
    "compose/down",
    "compose/backup",
    "compose/restore",
]
SCRIPTS = [
    *ENGINE,
    "image/engine",
    "image/lib.sh",
    "compose/do",
    "../.ci/containers",
    "../.ci/registry",
    "../.ci/run",
]


def run(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, env=os.environ | env, capture_output=True, text=True, check=False, timeout=60
    )


def secrets(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return run(str(ROOT / "deploy" / "secrets" / "make"), str(folder), **env)


def test_secrets_are_made_once_for_those_who_need_them(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    assert secrets(folder).returncode == 0
    made = {path.name: path.read_text() for path in folder.iterdir()}
    services = [identity.name for identity in IDENTITIES]
    stores = {f"database_url_{name}" for name in RIGHTS}
    names = {"postgres_password", "database_url", "grafana_password", "nats.env"} | stores
    assert made.keys() == names | {f"nats_url_{name}" for name in services}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700, "nobody else enters the folder"
    passwords = dict(line.split("=", 1) for line in made["nats.env"].split())
    assert passwords.keys() == {f"SIETCH_NATS_{name.upper()}_PASSWORD" for name in ("sietch", *services)}
    users = {name: urlsplit(made[name].strip()) for name in stores}
    assert {name: url.username for name, url in users.items()} == {
        f"database_url_{name}": f"sietch_{name}" for name in RIGHTS
    }
    assert all(made[name].strip().endswith("@postgres:5432/sietch") for name in stores)
    own = {url.password for url in users.values()}
    assert len({*passwords.values(), *own, made["postgres_password"], made["grafana_password"]}) == 10
    for name in services:
        url = read(ServiceSettings, {"SIETCH_NATS_URL_FILE": str(folder / f"nats_url_{name}")}).nats_url
        assert url == f"nats://{name}:{passwords[f'SIETCH_NATS_{name.upper()}_PASSWORD']}@nats:4222"
    assert f":{made['postgres_password'].strip()}@postgres:5432/" in made["database_url"]

    again = secrets(folder, POSTGRES_PASSWORD="another", DATABASE_PASSWORD_ROOM="another")
    assert again.stdout == ""
    assert {path.name: path.read_text() for path in folder.iterdir()} == made


def test_secrets_of_ones_own_are_taken_and_must_fit_into_a_url(tmp_path: Path) -> None:
    assert secrets(tmp_path / "own", POSTGRES_PASSWORD="pw", NATS_PASSWORD_ROOM="door").returncode == 0
    assert (
        tmp_path / "own" / "database_url"
    ).read_text().strip() == "postgresql://sietch:pw@postgres:5432/sietch"
    assert (tmp_path / "own" / "nats_url_room").read_text().strip() == "nats://room:door@nats:4222"
    for name in ("POSTGRES_PASSWORD", "NATS_PASSWORD_BOT", "DATABASE_PASSWORD_ROOM"):
        refused = secrets(tmp_path / name, **{name: "p@ss/word"})
        assert refused.returncode == 1
        assert name in refused.stderr
        assert "p@ss" not in refused.stderr


def test_a_database_of_ones_own_has_roles_beside_its_owner(tmp_path: Path) -> None:
    url = "postgresql://owner:pw@db.example:6432/games?sslmode=require"
    assert secrets(tmp_path / "own", DATABASE_URL=url, DATABASE_PASSWORD_ROOM="door").returncode == 0
    told = (tmp_path / "own" / "database_url_room").read_text().strip()
    assert told == "postgresql://sietch_room:door@db.example:6432/games?sslmode=require"
    refused = secrets(tmp_path / "peer", DATABASE_URL="postgresql:///games?host=/run/postgresql")
    assert refused.returncode == 1
    assert "write" in refused.stderr and "database_url_room yourself" in refused.stderr


def test_no_secret_is_made_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "od").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "od").chmod(0o755)
    refused = secrets(tmp_path / "none", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert refused.returncode == 1
    assert "urandom" in refused.stderr
    assert list((tmp_path / "none").iterdir()) == []


def test_no_secret_is_tracked() -> None:
    tracked = run("git", "-C", str(ROOT), "ls-files", "deploy/secrets")
    if tracked.returncode:
        pytest.skip("this is no checkout of git")
    assert set(tracked.stdout.split()) == {"deploy/secrets/.gitignore", "deploy/secrets/make"}


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_are_whole(script: str) -> None:
    path = ROOT / "deploy" / script
    assert run("bash", "-n", str(path)).stderr == ""
    assert os.access(path, os.X_OK) or path.suffix == ".sh" or path.name == "run"


@pytest.mark.parametrize("script", ENGINE)
def test_without_an_engine_each_says_so_in_one_line_and_fails(script: str, tmp_path: Path) -> None:
    none = f"unix://{tmp_path}/none"
    done = run(
        str(ROOT / "deploy" / script), DOCKER_HOST=none, SIETCH_SECRETS=str(tmp_path), FILE="/dev/null"
    )
    assert done.returncode != 0
    said = (done.stdout + done.stderr).strip().splitlines()
    assert len(said) == 1
    assert "Docker" in said[0]
    assert "apt-get install docker.io" in said[0]


def engine_of(folder: Path, answers: str) -> dict[str, str]:
    """A dockerd that lives until it is killed, and a docker to which it answers once `answers` (a test of sh) holds."""
    programs = {"dockerd": f"echo $$ >{folder}/pid\nwhile :; do sleep 0.1; done", "docker": f"test {answers}"}
    for name, script in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "SIETCH_ENGINE": str(folder / "engine")}


def alive(folder: Path) -> bool:
    return Path("/proc", (folder / "pid").read_text().strip()).exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may start an engine")
def test_an_engine_that_was_started_is_stopped(tmp_path: Path) -> None:
    env = engine_of(tmp_path, f"-s {tmp_path}/pid")
    script = str(ROOT / "deploy" / "image" / "engine")
    started = run(script, "start", **env)
    assert started.returncode == 0, started.stderr
    assert "started dockerd" in started.stdout
    assert alive(tmp_path)
    assert "stopped dockerd" in run(script, "stop", **env).stdout
    assert not alive(tmp_path)
    assert run(script, "stop", **env).stdout == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may start an engine")
def test_an_engine_that_does_not_answer_yet_is_stopped_as_well(tmp_path: Path) -> None:
    env = engine_of(tmp_path, "-e /nowhere")
    script = str(ROOT / "deploy" / "image" / "engine")
    with subprocess.Popen(
        [script, "start"], env=os.environ | env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as starting:
        deadline = time.monotonic() + PATIENCE
        while not (tmp_path / "pid").exists() or not (tmp_path / "engine" / "started").exists():
            assert time.monotonic() < deadline, "dockerd does not begin"
            time.sleep(0.05)
        starting.kill()
    assert alive(tmp_path)
    run(script, "stop", **env)
    assert not alive(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may start an engine")
def test_an_engine_that_does_not_end_is_not_called_stopped(tmp_path: Path) -> None:
    env = engine_of(tmp_path, f"-s {tmp_path}/pid") | {"STOP_SECONDS": "1"}
    stubborn = (tmp_path / "dockerd").read_text().replace("echo $$", "trap '' TERM; echo $$")
    (tmp_path / "dockerd").write_text(stubborn)
    script = str(ROOT / "deploy" / "image" / "engine")
    assert run(script, "start", **env).returncode == 0
    try:
        stopping = run(script, "stop", **env)
        assert stopping.returncode == 1
        assert "stopped" not in stopping.stdout
        assert "still runs after 1 s" in stopping.stderr
        assert (tmp_path / "engine" / "started").exists(), "a later stop finds it"
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    assert run(script, "stop", **env).returncode == 0


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        (["1 room running Up 2 minutes (healthy)", "2 grafana running Up 1 minute"], ""),
        (["1 migrate exited Exited (0) 1 minute ago", "2 room running Up 1 minute (healthy)"], ""),
        (["1 migrate exited Exited (1) 1 minute ago"], "migrate"),
        (["1 room running Up 3 seconds (health: starting)"], "room"),
        (["1 nats running Up 3 minutes (unhealthy)", "2 room running Up 1 minute (healthy)"], "nats"),
        (["1 bot restarting Restarting (1) 3 seconds ago"], "bot"),
        (["1 rules exited Exited (0) 3 seconds ago"], "rules"),
    ],
)
def test_whoever_is_not_well_is_waited_for_and_named(lines: list[str], wrong: str, tmp_path: Path) -> None:
    engine = tmp_path / "docker"
    said = "\n".join(lines)
    engine.write_text(f"#!/bin/sh\n[ \"$1\" != ps ] || cat <<'end'\n{said}\nend\n")
    engine.chmod(0o755)
    script = f'. "{ROOT}/deploy/image/lib.sh"; ready 0'
    done = run("bash", "-c", script, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode == (1 if wrong else 0), done.stderr
    assert (f"--- {wrong}: " in done.stderr) == bool(wrong)


def test_reading_names_touches_no_variable_of_a_script() -> None:
    script = f'. "{ROOT}/deploy/image/lib.sh"; file=mine line=mine name=mine; names; echo "$file $line $name"'
    assert run("bash", "-c", script).stdout == "mine mine mine\n"


@pytest.mark.parametrize("scenarios", ["yes", "no"])
@pytest.mark.parametrize("fails", ["http", "store", "none"])
def test_a_verifier_that_does_not_run_is_never_taken_for_one_that_held(
    fails: str, scenarios: str, tmp_path: Path
) -> None:
    engine, calls = tmp_path / "docker", tmp_path / "calls"
    engine.write_text(
        f"""#!/bin/sh
case "$1" in
    ps) echo "1 room running Up 1 minute (healthy)"; echo "2 room running Up 1 minute (healthy)" ;;
    inspect) echo SIETCH_SCENARIOS={scenarios} ;;
    run) echo "$*" >>{calls}; case "$*" in *" verify {fails}"*) exit 1 ;; esac ;;
esac
"""
    )
    engine.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SIETCH_SECRETS": str(tmp_path)}
    done = run(str(ROOT / "deploy" / "compose" / "verify"), **env)
    assert (done.returncode == 0) == (fails == "none"), done.stdout + done.stderr
    asked = calls.read_text().splitlines()
    assert " verify http " in asked[0]
    assert asked[0].endswith("--without-scenarios") == (scenarios == "no")
    assert [" verify store" in line for line in asked[1:]] == ([] if fails == "http" else [True])


RESTORING = """#!/bin/sh
echo "$*" >>"{calls}"
case "$*" in
    ps*) echo "1 room running Up 1 minute (healthy)" ;;
    {fails}) exit 1 ;;
esac
"""


@pytest.fixture
def restoring(tmp_path: Path) -> Callable[[str], tuple[subprocess.CompletedProcess[str], list[str]]]:
    """Restore with an engine that fails at the command of a pattern; what came of it, and what the engine was asked."""

    def restore(fails: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
        calls = tmp_path / "calls"
        (tmp_path / "docker").write_text(RESTORING.format(calls=calls, fails=fails))
        (tmp_path / "docker").chmod(0o755)
        (tmp_path / "a.dump").write_text("tables")
        env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SIETCH_SECRETS": str(tmp_path / "secrets")}
        script = str(ROOT / "deploy" / "compose" / "restore")
        done = run(script, FILE=str(tmp_path / "a.dump"), **env)
        return done, calls.read_text().splitlines()

    return restore


Restoring = Callable[[str], tuple[subprocess.CompletedProcess[str], list[str]]]
TAKES_ITS_PLACE = "ALTER DATABASE restored RENAME TO sietch"
BACK = "ALTER DATABASE replaced RENAME TO sietch"


def test_a_restore_leaves_nothing_of_what_it_replaces(restoring: Restoring) -> None:
    """Also no table that the backup does not know: those of a newer version would be in the way of an upgrade."""
    done, asked = restoring("nothing")
    assert done.returncode == 0, done.stdout + done.stderr
    order = [
        "CREATE DATABASE restored",
        "pg_restore -U",
        " stop ",
        TAKES_ITS_PLACE,
        "run --rm",
        "DROP DATABASE replaced",
    ]
    order += ["_nats-data", " up -d --remove-orphans", " verify store"]
    places = [next(n for n, line in enumerate(asked) if word in line) for word in order]
    assert places == sorted(places), "games go on until all of the backup was read"
    assert all(" -d restored " in line for line in asked if "pg_restore -U" in line)


@pytest.mark.parametrize(
    ("fails", "told", "stopped"),
    [
        ('*"pg_restore --list"*', "is no backup", False),
        ('*"pg_restore -U"*', "not read to its end, and nothing was changed", False),
        ('*" migrate"*', "cannot take that backup up, and nothing was changed", True),
    ],
)
def test_a_backup_that_cannot_be_restored_changes_nothing(
    fails: str, told: str, stopped: bool, restoring: Restoring
) -> None:
    done, asked = restoring(fails)
    assert done.returncode == 1
    assert told in done.stderr
    taken = [n for n, line in enumerate(asked) if TAKES_ITS_PLACE in line]
    back = [n for n, line in enumerate(asked) if BACK in line]
    assert len(taken) == len(back) == (1 if stopped else 0)
    assert all(first < then for first, then in zip(taken, back, strict=True))
    assert any(" stop room" in line for line in asked) == stopped
    assert not any("DROP DATABASE replaced" in line for line in asked)


@pytest.mark.parametrize("script", ["backup", "restore"])
def test_a_store_that_is_kept_elsewhere_is_not_looked_for_here(script: str, tmp_path: Path) -> None:
    """The PostgreSQL of the deployment idles then: a backup of it would be whole, and empty."""
    (tmp_path / "docker").write_text(f'#!/bin/sh\necho "$*" >>{tmp_path}/calls\n')
    (tmp_path / "docker").chmod(0o755)
    folder = tmp_path / "secrets"
    assert secrets(folder, DATABASE_URL="postgresql://owner:hush@db.example/games").returncode == 0
    env = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "SIETCH_SECRETS": str(folder),
        "FILE": "/dev/null",
    }
    done = run(str(ROOT / "deploy" / "compose" / script), **env)
    assert done.returncode == 1
    assert "a PostgreSQL of your own" in done.stderr
    assert "hush" not in done.stderr
    assert not [
        line
        for line in (tmp_path / "calls").read_text().splitlines()
        if "exec" in line or "compose -p" in line
    ]
