"""The hash chain over a room's commits: a missing or altered row is found by `sietch verify store`.

The hash covers the events in canonical JSON (keys sorted, no spaces), because PostgreSQL's `jsonb` keeps neither
spaces nor the order of keys; the checkpoint is opaque and kept byte for byte. Rules compute the same hash for what
they decided, and so know whether it is what was committed: of two workers that decided at once only one was right.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from uuid import UUID

import msgspec

GENESIS = bytes(32)
"""The hash before a room's first commit."""


def canonical(raw: bytes | str) -> bytes:
    """JSON with sorted keys and no spaces. Raises `msgspec.DecodeError` when `raw` is not JSON."""
    return msgspec.json.encode(msgspec.json.decode(raw), order="sorted")


def link(
    prev: bytes, room: UUID, version: int, command_id: UUID, events: Sequence[bytes], checkpoint: bytes
) -> bytes:
    """The SHA-256 of one commit on top of `prev`. `events` are canonical JSON, in order."""
    digest = hashlib.sha256(prev)
    digest.update(room.bytes + version.to_bytes(8, "big") + command_id.bytes + len(events).to_bytes(4, "big"))
    for part in (*events, checkpoint):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()
