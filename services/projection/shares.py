"""Which replica a room belongs to: rendezvous hashing over those that are alive, so that each room is folded once.

Replicas say every second that they are there. Whoever is new takes no room before it can know who is watched;
whoever leaves says so; whoever falls silent, or answers nobody, is left out. Two that disagree for a moment both
publish, which readers do not notice; where nobody does, room's comparison of quiet rooms finds it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import blake2b

__all__ = ["BEAT_SECONDS", "JOIN_SECONDS", "Shares"]

BEAT_SECONDS = 1.0
SILENT_SECONDS = 3.5
"""After this long without a beat a replica is taken to be gone."""
ALONE_SECONDS = 1.5
"""Whoever has heard of nobody after this long is the only one."""
JOIN_SECONDS = 6.0
"""How long a new replica beside others listens before it takes rooms: room says every 5 s who is watched."""


class Shares:
    """The replicas that are alive, as one of them knows them."""

    def __init__(self, me: str, now: Callable[[], float] = time.monotonic) -> None:
        self.me = me
        self._now = now
        self._began = now()
        self._others: dict[str, float] = {}
        self._joined = False
        self._left = False

    def heard(self, replica: str, gone: bool) -> bool:
        """A replica said that it is there, or that it leaves. True if that changes whose rooms are whose."""
        if replica == self.me:
            return False
        if gone:
            return self.lost(replica)
        new = replica not in self._others
        self._others[replica] = self._now() + SILENT_SECONDS
        return new

    def lost(self, replica: str) -> bool:
        """A replica has left or does not answer: it has no rooms until it is heard again."""
        return self._others.pop(replica, None) is not None

    def leave(self) -> None:
        """This replica takes no rooms any more, unless it is the last."""
        self._left = True

    def takes_part(self) -> bool:
        """Whether this replica has rooms, and so has to say that it is there."""
        if not self._joined:
            self._expire()
            waited = self._now() - self._began
            self._joined = waited >= (JOIN_SECONDS if self._others else ALONE_SECONDS)
        return self._joined and not self._left

    def owner(self, room: str) -> str:
        """The replica that a room belongs to; this one if there is no other."""
        self._expire()
        if not self._others:
            return self.me
        known = [*self._others, self.me] if self.takes_part() else list(self._others)
        return max(known, key=lambda replica: _weight(room, replica))

    def mine(self, room: str) -> bool:
        """Whether a room belongs to this replica."""
        return self.owner(room) == self.me

    def _expire(self) -> None:
        now = self._now()
        for replica in [name for name, until in self._others.items() if until < now]:
            del self._others[replica]


def _weight(room: str, replica: str) -> bytes:
    return blake2b(f"{room}:{replica}".encode(), digest_size=8).digest()
