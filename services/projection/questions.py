"""Of a checkpoint, what projection needs: whose the open questions are, whom the game waits for, and the sequences.

An offer only passes through on its way to its seat: it stays the JSON that rules made of it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import cast

import msgspec
from msgspec import Raw, Struct

from shared.dune.offers import Anytime, Offer, Standing, Waiting, at_length

__all__ = ["Questions", "read_questions"]


class _Stored(Struct, frozen=True):
    open: Raw
    waiting: tuple[Waiting, ...]
    sequences: dict[str, int]
    anytime: Raw = Raw(b"{}")


class _Owned(Struct, frozen=True):
    seat: str


_checkpoints = msgspec.json.Decoder(_Stored)
_rows = msgspec.json.Decoder(tuple[Raw, ...])
_owners = msgspec.json.Decoder(_Owned)
_anytimes = msgspec.json.Decoder(Anytime)


class Questions(Struct, frozen=True):
    """The open and standing offers by seat, whom the game waits for, and each audience's sequence number."""

    open: dict[str, tuple[Raw, ...]]
    standing: dict[str, tuple[Standing, ...]]
    waiting: tuple[Waiting, ...]
    sequences: dict[str, int]

    def offers_of(self, seat: str) -> tuple[Offer, ...]:
        """The open offers of a seat, as JSON: whoever encodes them writes what was stored."""
        return cast(tuple[Offer, ...], self.open.get(seat, ()))

    def standing_of(self, seat: str) -> tuple[Standing, ...]:
        """The standing offers of a seat."""
        return self.standing.get(seat, ())


def read_questions(checkpoint: bytes) -> Questions:
    """The questions of a stored checkpoint; msgspec.DecodeError if it is none."""
    stored = _checkpoints.decode(checkpoint)
    return Questions(
        _open(bytes(stored.open)), _standing(bytes(stored.anytime)), stored.waiting, stored.sequences
    )


@lru_cache(maxsize=64)
def _open(rows: bytes) -> dict[str, tuple[Raw, ...]]:
    """Offers by seat. What stands open changes less often than the game: the same JSON gives the same rows."""
    found: dict[str, tuple[Raw, ...]] = {}
    for row in _rows.decode(rows):
        seat = _owners.decode(row).seat
        found[seat] = (*found.get(seat, ()), row)
    return found


@lru_cache(maxsize=64)
def _standing(anytime: bytes) -> dict[str, tuple[Standing, ...]]:
    found: dict[str, tuple[Standing, ...]] = {}
    for row in at_length(_anytimes.decode(anytime)):
        found[row.seat] = (*found.get(row.seat, ()), row)
    return found
