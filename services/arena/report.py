"""What a whole game by bots came to, told alike however it was played."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from shared.wire.chain import canonical

__all__ = ["CLASSIC", "Report", "digest_of", "factions_for"]

CLASSIC = ("atreides", "harkonnen", "emperor", "fremen", "guild", "bene_gesserit")
"""The six classic factions, in the order in which games by bots draw from them."""


class Report(Struct, frozen=True):
    """A finished game: result, turns, commits, events, seconds, and the digest of all its events in order."""

    result: dict[str, Any]
    turns: int
    commits: int
    events: int
    seconds: float
    digest: str
    seats: tuple[str, ...]
    seed: int


def factions_for(seats: int, seed: int) -> tuple[str, ...]:
    """The factions of a game by bots, in player-circle order: the seed decides."""
    return tuple(random.Random(seed).sample(CLASSIC, seats))


def digest_of(events: Iterable[bytes]) -> str:
    """SHA-256 over the canonical JSON of all events: equal for equal games."""
    found = hashlib.sha256()
    for event in events:
        found.update(canonical(event))
        found.update(b"\n")
    return found.hexdigest()


def encode(report: Report) -> str:
    """The report as one line of JSON."""
    return msgspec.json.encode(report, order="sorted").decode()
