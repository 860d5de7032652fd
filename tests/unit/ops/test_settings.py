"""Settings from the environment: every mistake is named, nothing secret is shown."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from services.bot.worker import BotSettings
from services.projection.service import ProjectionSettings
from services.room.settings import RoomSettings
from services.rules.service import RulesSettings
from shared.ops.settings import DatabaseSettings, HttpSettings, ServiceSettings, SettingsError, describe, read

DOCUMENT = Path(__file__).parents[3] / "docs" / "operations.md"
BASE = {
    "SIETCH_NATS_URL": "nats://u:p@localhost:4222",
    "SIETCH_DATABASE_URL": "postgresql://u:p@/d?host=%2Ftmp",
}


def test_values_are_converted_and_defaults_stand() -> None:
    settings = read(
        HttpSettings, BASE | {"SIETCH_HTTP_PORT": "9000", "SIETCH_TRACE": "yes", "SIETCH_HTTP_FD": "7"}
    )
    assert settings.http_port == 9000
    assert settings.trace is True
    assert settings.http_fd == 7
    assert settings.log == "json"
    assert settings.drain_seconds == 10.0


def test_an_empty_value_counts_as_not_set() -> None:
    assert read(ServiceSettings, BASE | {"SIETCH_OPS_PORT": ""}).ops_port == 0


def test_every_fault_is_named_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        read(DatabaseSettings, {"SIETCH_OPS_PORT": "many", "SIETCH_LOG": "xml"})
    text = str(caught.value)
    assert "SIETCH_NATS_URL is not set" in text
    assert "SIETCH_DATABASE_URL is not set" in text
    assert "SIETCH_OPS_PORT does not fit" in text
    assert "SIETCH_LOG does not fit" in text


def test_a_secret_can_be_in_a_file(tmp_path: Path) -> None:
    place = tmp_path / "nats_url"
    place.write_text("nats://room:long@nats:4222\n")
    settings = read(ServiceSettings, {"SIETCH_NATS_URL_FILE": str(place)})
    assert settings.nats_url == "nats://room:long@nats:4222"


@pytest.mark.parametrize(
    ("env", "text"),
    [
        ({"SIETCH_NATS_URL": "nats://x", "SIETCH_NATS_URL_FILE": "{place}"}, "are both set"),
        ({"SIETCH_NATS_URL_FILE": "{place}/absent"}, "cannot be read"),
        ({"SIETCH_NATS_URL_FILE": "{place}/empty"}, "is empty"),
    ],
)
def test_a_file_that_cannot_be_meant_is_named(env: dict[str, str], text: str, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(SettingsError) as caught:
        read(ServiceSettings, {name: value.format(place=tmp_path) for name, value in env.items()})
    assert text in str(caught.value)
    assert "SIETCH_NATS_URL_FILE" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPS_PORT", "70000"), ("TRACE_RATIO", "2"), ("DRAIN_SECONDS", "-1"), ("DRAIN_SECONDS", "nan"),
        ("RATE_FACTOR", "-1"), ("DB_CONNECTIONS", "0"), ("SWEEP_EVERY", "0"), ("ORDER_LEAST", "-2"),
        ("ORDER_LEAST", "5"), ("ORDER_MOST", "0.5"), ("BOTS_LOST", "inf"),
    ],
)  # fmt: skip
def test_a_value_that_makes_no_sense_is_named(name: str, value: str) -> None:
    """Also one that makes none beside another."""
    with pytest.raises(SettingsError, match=f"SIETCH_{name}"):
        read(RoomSettings, BASE | {f"SIETCH_{name}": value})


@pytest.mark.parametrize("kind", [BotSettings, ProjectionSettings, RoomSettings, RulesSettings])
def test_every_setting_is_in_the_operators_document(kind: type[ServiceSettings]) -> None:
    """With its default, where it has one that says anything."""
    table = DOCUMENT.read_text().partition("\n## Settings\n")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `SIETCH_")]
    for field in msgspec.structs.fields(kind):
        name = f"`SIETCH_{field.name.upper()}`"
        (row,) = [line for line in rows if name in line.split("|")[1]] or [
            pytest.fail(f"{name} is not told of")
        ]
        place = [part.strip() for part in row.split("|")[1].split(",")].index(name)
        if isinstance(field.default, int | float | str) and not isinstance(field.default, bool):
            told = [part.strip() for part in row.split("|")[3].split(",")][place]
            assert told == f"`{field.default}`".replace(".0`", "`"), name


def test_two_processes_get_two_instance_names() -> None:
    assert read(ServiceSettings, BASE).instance != read(ServiceSettings, BASE).instance


def test_described_settings_hold_no_password() -> None:
    shown = describe(read(DatabaseSettings, BASE | {"SIETCH_NATS_CREDS": "/run/creds"}))
    assert shown["nats_url"] == "nats://***@localhost:4222"
    assert "u:p" not in str(shown)
    assert shown["nats_creds"] == "***"
