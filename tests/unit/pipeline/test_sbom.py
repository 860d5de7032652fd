"""The bill of materials is valid CycloneDX, and names what is locked and what is there; they have to agree."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema_rs
import msgspec
import pytest

from deploy.pipeline.errors import PipelineError, Refused
from deploy.pipeline.inventory import PythonPackage, compare, locked, meant, take
from deploy.pipeline.sbom import describe
from tests.unit.pipeline.fakes import ENVIRONMENT, INSIDE, LOCK

DIGEST = "sha256:" + "1" * 64
ROOT = Path(__file__).parents[3]


def test_it_is_valid_and_names_everything() -> None:
    text, components = describe("registry.example/games/sietch", DIGEST, locked(LOCK), INSIDE)
    bom = json.loads(text)
    assert components == 3
    assert {part["purl"] for part in bom["components"]} == {
        "pkg:pypi/alpha@1.0",
        "pkg:pypi/beta@2.0",
        "pkg:deb/debian/libc6@2.41-12?arch=amd64&distro=debian-13",
    }
    alpha = next(part for part in bom["components"] if part["name"] == "alpha")
    assert [note["value"] for note in alpha["properties"]] == ["a" * 64, "b" * 64]
    assert {"ref": "python:alpha", "dependsOn": ["python:beta"]} in bom["dependencies"]
    assert bom["metadata"]["component"]["version"] == DIGEST


def test_the_standard_takes_it() -> None:
    text, _ = describe("registry.example/sietch", DIGEST, locked(LOCK), INSIDE)
    folder = files("cyclonedx") / "schema" / "_res"
    schemas = {
        name: json.loads((folder / f"{name}.SNAPSHOT.schema.json").read_text())
        for name in ("bom-1.6", "spdx", "jsf-0.82")
    }
    base = "http://cyclonedx.org/schema"
    others = [(f"{base}/{name}.SNAPSHOT.schema.json", schema) for name, schema in schemas.items()]
    registry = jsonschema_rs.Registry(others)
    validator = jsonschema_rs.validator_for(schemas["bom-1.6"], registry=registry)
    validator.validate(json.loads(text))
    assert not validator.is_valid(json.loads(text) | {"bomFormat": "something else"})


def test_an_image_that_differs_from_the_lock_gets_no_bill() -> None:
    other = msgspec.structs.replace(
        INSIDE, python=[PythonPackage("alpha", "1.1"), PythonPackage("delta", "4.0")]
    )
    assert compare(locked(LOCK), other) == [
        "beta 2.0 is locked, and not in the image",
        "delta 4.0 is in the image, and not locked",
        "alpha is 1.1 in the image, and locked as 1.0",
    ]
    with pytest.raises(Refused, match=r"delta 4\.0"):
        describe("sietch", DIGEST, locked(LOCK), other)


def test_lines_for_other_platforms_are_not_missed() -> None:
    assert [line.name for line in meant(locked(LOCK), ENVIRONMENT)] == ["alpha", "beta"]


@pytest.mark.parametrize(
    "line", ["alpha>=1 --hash=sha256:00", "alpha==1.0", "./alpha", "alpha==1.0,<2 --hash=sha256:00"]
)
def test_a_lock_file_that_pins_nothing_is_refused(line: str) -> None:
    with pytest.raises(PipelineError, match="lock file"):
        locked(line + "\n")


def test_our_own_lock_file_can_be_read_and_is_what_is_installed_here() -> None:
    """The inventory's program runs in this Python, whose packages are those of the other lock file."""

    def here(words: object) -> str:
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True).stdout  # type: ignore[misc]

    found = take(here)
    assert found.environment["sys_platform"] == sys.platform
    services = locked((ROOT / "requirements.lock").read_text())
    names = {line.name for line in meant(services, found.environment)}
    faults = compare(services, found)
    assert {"fastapi", "psycopg", "msgspec"} <= names
    assert not [fault for fault in faults if not fault.endswith("is in the image, and not locked")], faults
