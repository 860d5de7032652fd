"""`python -m tests.verifier.faulty SERVICE FAULT`: a service that is faulty from within, as no door can make it.

The fault is put into the process before it serves; nothing in the product knows of it.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from typing import Any

import msgspec


def short_auctions() -> None:
    """One card fewer is auctioned. [BID-01]"""
    from services.rules.phases import bidding

    honest = bidding.quote

    def fewer(table: Any, base: Any) -> Any:
        found = honest(table, base)
        wrong = isinstance(found, bidding.AuctionSize) and found.value > 1
        return msgspec.structs.replace(found, value=found.value - 1) if wrong else found

    bidding.quote = fewer  # type: ignore[attr-defined]


def generous_charity() -> None:
    """Charity pays up to 3. [CHARITY-01]"""
    from services.rules.phases import charity

    charity.ENOUGH = 3


def open_hands() -> None:
    """Projection shows every hand to all. [SECRET-03]"""
    from shared.dune import zones

    zones.zone_kinds()["hand"] = zones.ZoneKind("public", "always")
    zones.kind_of.cache_clear()


def forgetful_room() -> None:
    """Every tenth answer of a person is called accepted and is not stored."""
    import itertools

    from services.room import decide

    honest, numbers = decide.Desk.decide, itertools.count(1)

    async def forget(desk: Any, *args: Any, token: bytes | None = None, **more: Any) -> Any:
        if token is not None and next(numbers) % 10 == 0:
            return decide.Accepted(b'{"ok":true}', 0, False)
        return await honest(desk, *args, token=token, **more)

    decide.Desk.decide = forget  # type: ignore[method-assign]


FAULTS: dict[str, tuple[str, Callable[[], None]]] = {
    "short auctions": ("rules", short_auctions),
    "generous charity": ("rules", generous_charity),
    "open hands": ("projection", open_hands),
    "a forgetful room": ("room", forgetful_room),
}
"""Each fault with the service that it is put into."""


if __name__ == "__main__":
    service, fault = sys.argv[1], sys.argv[2]
    FAULTS[fault][1]()
    sys.argv = [sys.argv[0]]
    runpy.run_module(f"services.{service}", run_name="__main__")
