"""What a game waits for, as an operator may know it: never who of several has answered. [NEXUS-66, NEXUS-86]"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from shared.dune.offers import Checkpoint, Offer
from shared.dune.settings import Faction

__all__ = ["Pending", "pending_in", "sentence"]

_checkpoints = msgspec.json.Decoder(Checkpoint)


class Pending(Struct, frozen=True, omit_defaults=True):
    """One kind of question that stands open: whom it asks, what everybody may read of it, and how many owe an answer.

    `only`: the one seat that does, if it is one alone; of several none is named.
    """

    kind: str
    asked: tuple[Faction, ...]
    unfinished: int
    about: dict[str, str | int | bool] = {}
    only: Faction = ""


def pending_in(checkpoint: bytes) -> list[Pending]:
    """What stands open in a stored checkpoint; msgspec.DecodeError if it is none."""
    saved = _checkpoints.decode(checkpoint)
    return [_pending(kind.kind, kind.seats, saved.open) for kind in saved.waiting]


def _pending(kind: str, asked: tuple[Faction, ...], offers: tuple[Offer, ...]) -> Pending:
    """What a seat has answered for good is not open any more; what it may still change carries its answer."""
    owing = [offer for offer in offers if offer.kind == kind and offer.committed is None]
    about: dict[str, str | int | bool] = {}
    if kind.startswith("window.") and owing:
        about = {k: v for k, v in owing[0].about.items() if isinstance(v, str | int | bool)}
    return Pending(kind, asked, len(owing), about, owing[0].seat if len(owing) == 1 else "")


def sentence(one: Pending) -> str:
    """In a line for people."""
    owing = f"waiting for {one.only}" if one.only else f"{one.unfinished} of {len(one.asked)} to come"
    about = "".join(f" {key}={value}" for key, value in one.about.items())
    return f"{one.kind}: asked {', '.join(one.asked)}; {owing}{';' if about else ''}{about}"
