"""Messages as JSON and back: typed, and with errors that hold nothing of what a message held."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import msgspec

from shared.wire.errors import BadMessage

__all__ = ["decode", "encode"]

_encoder = msgspec.json.Encoder()
_PATH = re.compile(r" - at `\$[\w.\[\]]*`$")
"""How msgspec names the place of a fault: fields, and `[...]` for whatever key or item it is below."""


@lru_cache(maxsize=256)
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def encode(message: object) -> bytes:
    """JSON of a message. (JSON, so that the `Raw` JSON of a game lies in it as it is.)"""
    return _encoder.encode(message)


def decode(data: bytes, kind: Any, where: str = "a message") -> Any:
    """The message of type (or union) `kind` in `data`. Raises BadMessage; its text holds no content."""
    try:
        return _decoder(kind).decode(data)
    except msgspec.DecodeError as error:
        # Only where it went wrong: the rest of the error's text may quote what the message held.
        at = _PATH.search(str(error))
        raise BadMessage(f"{where} is not a valid {_named(kind)}{at[0] if at else ''}") from None


def _named(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind)
