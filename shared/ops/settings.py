"""Settings come from the environment, as `SIETCH_<FIELD>`, into one frozen struct per service.

A service subclasses `ServiceSettings` and adds its fields; `read` converts and checks them all at once, so that
an operator sees every mistake in one message. A secret can be in a file instead: `SIETCH_<FIELD>_FILE` names it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlsplit, urlunsplit

import msgspec
from msgspec import Meta, Struct

PREFIX = "SIETCH_"

S = TypeVar("S", bound=Struct)


Port = Annotated[int, Meta(ge=0, le=65535)]
Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Pause = Annotated[float, Meta(ge=0, le=86_400)]
"""Seconds that may be none."""


class SettingsError(Exception):
    """The environment lacks a setting or holds one that makes no sense; the text names each of them."""


class ServiceSettings(Struct, frozen=True, kw_only=True):
    """What every service reads. Ports are TCP ports; port 0 lets the system choose one (it is logged).

    `hold_fd` is an inherited pipe: the process loads its code, and begins when the other end is closed.
    """

    nats_url: str
    nats_creds: str | None = None
    log: Literal["json", "console"] = "json"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    instance: str = msgspec.field(default_factory=lambda: secrets.token_hex(4))
    ops_host: str = "127.0.0.1"
    ops_port: Port = 0
    drain_seconds: Pause = 10.0
    trace: bool = False
    trace_ratio: Share = 0.02
    hold_fd: int | None = None


class DatabaseSettings(ServiceSettings, frozen=True, kw_only=True):
    """A service that also talks to PostgreSQL (a libpq URL; a password in it never reaches logs)."""

    database_url: str


class HttpSettings(DatabaseSettings, frozen=True, kw_only=True):
    """A service that serves HTTP: on its own address, and on an inherited listening socket if one is named."""

    http_host: str = "127.0.0.1"
    http_port: Port = 8080
    http_fd: int | None = None


def read(cls: type[S], env: Mapping[str, str] | None = None) -> S:
    """Read `cls` from `env` (the process environment by default). Raises SettingsError naming every fault."""
    source = os.environ if env is None else env
    values: dict[str, object] = {}
    faults: list[str] = []
    for field in msgspec.structs.fields(cls):
        name = PREFIX + field.encode_name.upper()
        try:
            raw = stated(name, source)
        except SettingsError as error:
            faults.append(str(error))
            continue
        if not raw:
            if field.required:
                faults.append(f"{name} is not set")
            continue
        try:
            values[field.encode_name] = msgspec.convert(_plain(raw, field.type), field.type, strict=False)
        except msgspec.ValidationError as error:
            faults.append(f"{name} does not fit: {error}")
    if faults:
        raise SettingsError("the settings are not usable: " + "; ".join(faults))
    try:
        return cls(**values)
    except ValueError as error:  # each fits by itself, and not with another
        raise SettingsError(f"the settings are not usable: {error}") from None


def stated(name: str, env: Mapping[str, str] | None = None) -> str:
    """What the environment says for `name`, or the file that `<name>_FILE` names; empty when neither says anything.

    Raises SettingsError when both do, or when the file cannot be read or is empty.
    """
    source = os.environ if env is None else env
    value, place = source.get(name, ""), source.get(f"{name}_FILE", "")
    if not place:
        return value
    if value:
        raise SettingsError(f"{name} and {name}_FILE are both set; keep one of them")
    try:
        value = Path(place).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise SettingsError(f"{name}_FILE names {place}, which cannot be read: {reason}") from None
    if not value:
        raise SettingsError(f"{name}_FILE names {place}, which is empty")
    return value


def _plain(raw: str, kind: object) -> object:
    """`yes`/`on` read as true, as people write them; everything else is left to msgspec."""
    if kind is bool:
        word = raw.strip().lower()
        return {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(word, word)
    return raw


def describe(settings: Struct) -> dict[str, object]:
    """The settings as a log line may show them: URLs without user and password, and no key that is a secret."""
    shown: dict[str, object] = {}
    for name in settings.__struct_fields__:
        value = getattr(settings, name)
        if name.endswith("_url") and isinstance(value, str):
            value = without_password(value)
        elif any(word in name for word in ("secret", "token", "password", "creds")) and value:
            value = "***"
        shown[name] = value
    return shown


def without_password(url: str) -> str:
    """The same URL with its user part replaced, safe to print. Text that is no URL becomes `***`."""
    parts = urlsplit(url)
    if not parts.scheme:
        return "***"
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host if "@" not in parts.netloc else f"***@{host}", parts.path, "", ""))
