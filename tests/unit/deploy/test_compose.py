"""What docker-compose.yml promises, read without an engine: least rights, limits, health, no secret."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.room.errors import ApiError
from services.room.store.roles import RIGHTS
from shared.wire.identities import IDENTITIES

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docker-compose.yml").read_text()
FILE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = FILE["services"]
OURS = ("rules", "room", "projection", "bot")
STORING = ("room", "projection", "migrate")
DEFAULT = re.compile(r"\$\{([A-Z_]+):-([^}]*)\}")


def bases() -> dict[str, str]:
    lines = (ROOT / "deploy" / "image" / "bases.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


@pytest.mark.parametrize("name", SERVICES)
def test_every_container_has_least_rights_and_limits(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert "privileged" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert re.fullmatch(r"\d+:\d+", service["user"])
    assert service["mem_limit"]
    assert service["cpus"]
    assert service["pids_limit"]
    assert service["restart"] == ("on-failure:10" if name == "migrate" else "unless-stopped")
    assert set(service["networks"]) <= FILE["networks"].keys()
    for place in service.get("volumes", ()):
        source = place.split(":")[0]
        assert place.endswith(":ro") or source in FILE["volumes"], f"{place}: data belongs in a named volume"


def test_only_nats_runs_as_root_and_without_capabilities() -> None:
    assert [name for name, service in SERVICES.items() if service["user"].startswith("0:")] == ["nats"]


@pytest.mark.parametrize("name", OURS)
def test_each_service_has_two_replicas_of_the_one_image_and_its_own_identity(name: str) -> None:
    service = SERVICES[name]
    assert service["image"] == "${SIETCH_IMAGE:-sietch:local}"
    assert service["scale"] == 2
    assert service["command"] == ["serve", name]
    assert service["healthcheck"]["test"] == ["CMD", "python3", "-S", "-m", "shared.ops.probe"]
    assert service["environment"]["SIETCH_NATS_URL_FILE"] == f"/run/secrets/nats_url_{name}"
    wanted = {f"nats_url_{name}"} | ({f"database_url_{name}"} if name in STORING else set())
    assert set(service["secrets"]) == wanted
    if name in STORING:
        assert service["environment"]["SIETCH_DATABASE_URL_FILE"] == f"/run/secrets/database_url_{name}"
    assert service["depends_on"]["nats"] == {"condition": "service_healthy"}


def test_migrations_come_once_before_those_that_store() -> None:
    migrate = SERVICES["migrate"]
    assert migrate["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    roles = {f"SIETCH_{name.upper()}_DATABASE_URL_FILE": f"database_url_{name}" for name in RIGHTS}
    named = {"SIETCH_DATABASE_URL_FILE": "database_url"} | roles
    assert migrate["environment"] == {name: f"/run/secrets/{secret}" for name, secret in named.items()}
    assert set(migrate["secrets"]) == set(named.values())
    owners = [name for name, service in SERVICES.items() if "database_url" in service.get("secrets", ())]
    assert owners == ["migrate"], "nobody else may alter what was committed"
    for name in STORING[:2]:
        assert SERVICES[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


def test_identities_of_compose_are_those_of_the_wire() -> None:
    assert set(OURS) == {identity.name for identity in IDENTITIES}


def test_only_the_proxy_is_open_to_others() -> None:
    open_ = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert open_.keys() == {"proxy", "prometheus", "grafana", "traces"}
    for name, ports in open_.items():
        if name != "proxy":
            assert all(port.startswith("127.0.0.1:") for port in ports), name


def test_what_is_in_which_network() -> None:
    """Players reach the proxy; it reaches room alone; what has no business with a server has no way to it."""
    inside: dict[str, set[str]] = {network: set() for network in FILE["networks"]}
    for name, service in SERVICES.items():
        for network in service["networks"]:
            inside[network].add(name)
    assert inside["outside"] == {"proxy"}
    assert inside["door"] == {"proxy", "room"}
    assert inside["bus"] == {"nats", *OURS}
    assert inside["store"] == {"postgres", *STORING}
    assert inside["ops"] == {*OURS, "proxy", "prometheus", "traces"}
    assert inside["console"] == {"prometheus", "grafana", "traces"}
    shut = {name for name, network in FILE["networks"].items() if network.get("internal")}
    assert shut == {"door", "bus", "store", "ops"}


def test_no_secret_is_in_the_file() -> None:
    for name, secret in FILE["secrets"].items():
        assert secret == {"file": f"${{SIETCH_SECRETS:-./deploy/secrets}}/{name}"}
    for name, service in SERVICES.items():
        for key, value in service.get("environment", {}).items():
            if re.search("PASSWORD|SECRET|TOKEN|_URL", key):
                assert key.endswith("_FILE"), f"{name} has {key} in the file itself"
                assert str(value).startswith("/run/secrets/")
    assert not re.search(r"://[^/\s]+:[^/\s]+@", TEXT)


def test_images_are_those_of_bases_env() -> None:
    named = {m[1]: m[2] for service in SERVICES.values() if (m := DEFAULT.fullmatch(service["image"]))}
    assert named.pop("SIETCH_IMAGE") == "sietch:local"
    assert len(named) == len({service["image"] for service in SERVICES.values()}) - 1
    known = bases()
    assert named == {name: image for name, image in known.items() if not name.startswith("PYTHON_")}
    for image in named.values():
        assert re.search(r":v?\d+\.\d+", image), f"{image} names no version"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "deploy" / "proxy" / "errors").iterdir()), ids=lambda path: path.stem
)
def test_the_proxy_refuses_in_the_shape_of_our_errors(path: Path) -> None:
    head, _, body = path.read_bytes().partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0].startswith(f"HTTP/1.1 {path.stem} ")
    assert f"Content-Length: {len(body)}" in lines
    said = json.loads(body)
    assert said.keys() == json.loads(ApiError(400, "", "").body()).keys()
    assert said["code"] in ("unavailable", "malformed")
    assert ("Retry-After: 1" in lines) == (path.stem == "503")
    config = (ROOT / "deploy" / "proxy" / "haproxy.cfg").read_text()
    assert f"errorfile {path.stem} /usr/local/etc/haproxy/errors/{path.name}" in config


def test_the_proxy_has_memory_for_every_connection_that_it_takes() -> None:
    """Full of busy connections with TLS: two buffers, and what OpenSSL keeps for each; half of it for the rest."""
    config = (ROOT / "deploy" / "proxy" / "haproxy.cfg").read_text()
    (most,) = re.findall(r"^    maxconn (\d+)$", config, flags=re.MULTILINE)
    buffers = [int(size) for size in re.findall(r"tune\.bufsize (\d+)", config)] or [16_384]
    proxy = SERVICES["proxy"]
    memory = int(proxy["mem_limit"].removesuffix("m")) * 2**20
    assert int(most) * (2 * buffers[0] + 20_000) < memory - 32 * 2**20
    assert proxy["ulimits"]["nofile"] > 2 * int(most) + 100


@pytest.mark.parametrize("name", ["haproxy.cfg", "tls.cfg"])
def test_the_proxy_lets_go_of_who_is_gone_without_a_word(name: str) -> None:
    """Streams send a heartbeat every fifteen seconds, which nobody confirms then."""
    config = (ROOT / "deploy" / "proxy" / name).read_text()
    doors = re.findall(r"^    bind :8(?:080|443) .*$", config, flags=re.MULTILINE)
    assert len(doors) == 1
    assert " tcp-ut 45s" in doors[0]


def test_servers_and_proxy_tell_how_they_are() -> None:
    for name in ("postgres", "nats", "proxy", "prometheus"):
        assert SERVICES[name]["healthcheck"]["test"][0] == "CMD", name
    assert SERVICES["migrate"]["healthcheck"] == {"disable": True}


def test_whoever_reads_mounted_files_is_made_anew_when_they_change() -> None:
    readers = {
        name
        for name, service in SERVICES.items()
        if any(place.startswith("./deploy/") for place in service.get("volumes", ()))
    }
    assert readers == {"nats", "proxy", "prometheus", "grafana"}
    for name, service in SERVICES.items():
        assert service.get("labels") == (
            {"sietch.config": "${SIETCH_CONFIG:-none}"} if name in readers else None
        )


def test_https_adds_to_the_proxy_alone() -> None:
    more = yaml.safe_load((ROOT / "docker-compose.tls.yml").read_text())
    assert more["services"].keys() == {"proxy"}
    assert more["secrets"] == {"tls_pem": {"file": "${SIETCH_SECRETS:-./deploy/secrets}/tls.pem"}}
    assert more["services"]["proxy"].keys() == {"command", "ports", "secrets"}


def test_no_key_that_compose_1_29_cannot_read() -> None:
    assert FILE.keys() <= {
        "services",
        "networks",
        "volumes",
        "secrets",
        *(k for k in FILE if k.startswith("x-")),
    }
    for service in SERVICES.values():
        assert not service.keys() & {"develop", "attach", "annotations", "post_start", "pre_stop", "provider"}
        for secret in service.get("secrets", ()):
            assert isinstance(secret, str)
