"""How logs name a room: by a short hash of its id, which says nothing to who does not hold the store.

A room's code is the right to watch it, and its id stands in the subjects of NATS: neither belongs into a log. An id has
74 random bits and is told to no player, so that its hash needs no key; `sietch room ref CODE` says it for a room, and
`sietch room find REF` the room for it. (decision 0023)
"""

from __future__ import annotations

import base64
import hashlib
import re
from uuid import UUID

SHORTEST_ID = 32
_ID = re.compile(r"\b[0-9a-f]{32}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I)


def room_ref(room: UUID | str) -> str:
    """Eight letters and digits for a room's id (a UUID, or its 32 hex digits as subjects have them)."""
    id_ = room if isinstance(room, UUID) else UUID(room)
    digest = hashlib.blake2s(id_.bytes, digest_size=5, person=b"roomref").digest()
    return base64.b32encode(digest).decode().lower()


def shown(value: object) -> object:
    """What a log line may show of a value: a ref for an id, refs for the ids in a text, anything else as it is."""
    if isinstance(value, UUID):
        return room_ref(value)
    if isinstance(value, str) and len(value) >= SHORTEST_ID:
        return room_ref(value) if _ID.fullmatch(value) else without_rooms(value)
    return value


def without_rooms(text: str) -> str:
    """A text of somebody else's with a ref in place of each id in it."""
    return _ID.sub(lambda found: f"room:{room_ref(found[0])}", text)
