"""The question put to a bidder: raise within its means, raise on the strength of Karama, take the card, or pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from services.rules.engine.flow import Flow
from services.rules.engine.offering import offer
from services.rules.engine.registry import Registry
from services.rules.engine.scope import EVERY_MODE
from services.rules.phases.karama import NO_KARAMA, karama_cards, karama_shapes
from services.rules.phases.promises import CARDS, available_spice, promised
from shared.dune import facts
from shared.dune.events.bidding import NUMBER, OF, OPENER
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Limit, Number, Off, Shape, Variant
from shared.dune.table import Table

__all__ = ["BIDS", "KARAMA_STEP", "BidExtra", "bid_extra", "bid_extras", "bid_offer"]

KARAMA_STEP = 99
"""How far above the least legal bid one made on the strength of Karama may go: any amount, in effect. [BID-26]"""
LABELS = {
    "bid": "Bid, own spice first",
    "bid_split": "Bid, with a part of my ally's",
    "bid_karama": "Bid, and settle with Karama",
    "karama": "Take the card with Karama",
    "pass": "Pass",
}
BIDS = frozenset(LABELS) - {"pass"}
"""What of a turn to bid is a bid, or takes the card; what else it offers is no bid. [BID-09, BID-25, TRUTH-07]"""


class BidExtra(ABC):
    """Base of what a seat may do on its turn to bid beside bidding, and then bid. Registered by `bid_extra`."""

    name: ClassVar[str]
    rule: ClassVar[str]
    label: ClassVar[str]
    modes: ClassVar[tuple[str, ...]] = EVERY_MODE

    @abstractmethod
    def possible(self, table: Table, seat: Faction) -> bool:
        """Whether the seat could be able by public facts alone: then it is shown."""

    @abstractmethod
    def fields(self, table: Table, seat: Faction) -> Fields | Off:
        """What the seat may answer, or privately why it may not."""

    @abstractmethod
    def flow(self, seat: Faction, answer: Json) -> Flow:
        """The flow that carries it out; bidding then goes on where it stood."""


_extras: Registry[BidExtra] = Registry("bid extra")


def bid_extra(kind: type[BidExtra]) -> type[BidExtra]:
    """Register an extra; its name must be new and its rule given."""
    _extras.add(kind)
    return kind


def bid_extras() -> Mapping[str, BidExtra]:
    """All extras by name."""
    return _extras.all


def bid_offer(table: Table, seat: Faction, bidder: Faction, standing: int) -> Offer:
    """What a seat may do on its turn to bid. [BID-08, BID-09, BID-15, BID-18, BID-25, BID-26, KARAMA-20, KARAMA-21]"""
    low = standing + 1
    own = available_spice(table, seat)
    ally = table.ally_of(seat)
    help = promised(table, ally, CARDS) if ally else 0
    variants: dict[str, Fields] = {"pass": Fields({})}
    off: dict[str, Off] = {}
    if low <= own + help:
        variants["bid"] = Fields({"amount": Number(low, own + help, "spice", "BID-15")})
    else:
        off["bid"] = Off(_too_poor(low, own, help), "BID-15")
    if help and low <= own + help:
        variants["bid_split"] = _split(low, own, help)
    elif ally:
        reason = "Your ally has promised nothing." if not help else _too_poor(low, own, help)
        off["bid_split"] = Off(reason, "BID-16")
    by_karama = _by_karama(low, karama_shapes(table, seat))
    if karama_cards(table, seat):
        variants.update(by_karama)
    else:
        off.update(dict.fromkeys(by_karama, NO_KARAMA))
    labels = {name: LABELS[name] for name in LABELS if name in variants or name in off}
    _add_extras(table, seat, variants, labels, off)
    return offer(
        seat,
        "bid",
        _why(table, bidder, standing),
        Variant(variants, labels, off),
        default={"do": "pass"},
        about={
            "card": table.count(NUMBER),
            "of": table.count(OF),
            "opener": str(table.value(OPENER, "")),
            "bid": standing,
            "bidder": bidder,
        },
        rules=("BID-09",),
        window=True,
    )


def _add_extras(
    table: Table, seat: Faction, variants: dict[str, Fields], labels: dict[str, str], off: dict[str, Off]
) -> None:
    """What factions and cards put into the turn to bid; what is possible but not now is shown with its reason."""
    for extra in _extras.of(table.settings.mode, table.settings.modules):
        if extra.possible(table, seat):
            labels[extra.name] = extra.label
            found = extra.fields(table, seat)
            if isinstance(found, Off):
                off[extra.name] = found
            else:
                variants[extra.name] = found


def _by_karama(low: int, card: dict[str, Shape]) -> dict[str, Fields]:
    return {
        "bid_karama": Fields({"amount": Number(low, low + KARAMA_STEP, "spice", "BID-26"), **card}),
        "karama": Fields(card),
    }


def _split(low: int, own: int, help: int) -> Fields:
    """The bidder says how much its ally pays; the rest is its own. [BID-18]"""
    need = Limit(
        plus=("amount",),
        minus=("ally_part",),
        least=0,
        most=own,
        text=f"your own part must be from 0 to {own}",
        rule="BID-18",
    )
    parts: dict[str, Shape] = {
        "amount": Number(low, own + help, "spice", "BID-15"),
        "ally_part": Number(0, help, "spice", "BID-18"),
    }
    return Fields(parts, (need,), {"amount": "Bid", "ally_part": "Of it from my ally"})


def _too_poor(low: int, own: int, help: int) -> str:
    held = f"you have {own} spice" + (f" and {help} of your ally's" if help else "")
    return f"The bid must be at least {low}; {held}."


def _why(table: Table, bidder: Faction, standing: int) -> str:
    card = f"Card {table.count(NUMBER)} of {table.count(OF)} is up."
    if not bidder:
        return f"{card} Nobody has bid yet."
    return f"{card} {facts.name(bidder)} bids {standing}."
