"""Settings from the environment: every mistake is named, nothing secret is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.ops.settings import DatabaseSettings, HttpSettings, ServiceSettings, SettingsError, describe, read

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


def test_two_processes_get_two_instance_names() -> None:
    assert read(ServiceSettings, BASE).instance != read(ServiceSettings, BASE).instance


def test_described_settings_hold_no_password() -> None:
    shown = describe(read(DatabaseSettings, BASE | {"SIETCH_NATS_CREDS": "/run/creds"}))
    assert shown["nats_url"] == "nats://***@localhost:4222"
    assert "u:p" not in str(shown)
    assert shown["nats_creds"] == "***"
