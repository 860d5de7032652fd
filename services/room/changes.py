"""By what a change of a lobby is known, so that whoever sends it again gets what the first try made. Pure.

Decision 0038. Only digests are kept: whoever reads the store learns no id by which a seat's token is to be had.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from uuid import UUID, uuid4

import msgspec
from msgspec import Struct

__all__ = ["REPEAT_SECONDS", "Asked", "asked_for"]

REPEAT_SECONDS = 600.0
"""For how long a change is known again by its id."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A change that is asked for: what it is known by, and a digest of what it asks."""

    key: bytes
    what: bytes

    @property
    def lock(self) -> int:
        """The number of the advisory lock that its transaction holds until it has ended, either way."""
        return int.from_bytes(self.key[:8], "big", signed=True)


def asked_for(place: str, command_id: UUID | None = None, wish: Struct | None = None) -> Asked:
    """A change of a room (its code; empty for one that makes a room). Without an id nobody can repeat it."""
    command_id = command_id or uuid4()
    key = hashlib.sha256(f"{place}:{command_id.hex}".encode()).digest()
    return Asked(key, hashlib.sha256(msgspec.json.encode(wish)).digest()[:16])
