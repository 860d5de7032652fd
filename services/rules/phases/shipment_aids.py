"""What may be spent with the declaration of a shipment: what halves its price, and what opens other ways to ship."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from services.rules.engine.flow import Flow
from services.rules.engine.hooks import contributes
from services.rules.engine.play import Play
from services.rules.engine.registry import Registry
from services.rules.phases.shipment_quotes import ShippingWays, Way
from shared.dune.settings import Faction
from shared.dune.shapes import Json, Off, Shape
from shared.dune.table import Table

__all__ = [
    "ShippingAid",
    "WayOpening",
    "open_ways",
    "shipping_aid",
    "shipping_aids",
    "way_opening",
    "way_openings",
]

OPENED = "phase.shipping.opened"
"""Public mark: for whom, and by which opening, there are other ways until its shipment is over."""


class ShippingAid(ABC):
    """Base of what a shipper may add to its own declaration to halve the price. Registered by `shipping_aid`."""

    name: ClassVar[str]
    rule: ClassVar[str]
    label: ClassVar[str]

    @abstractmethod
    def fits(self, way: Way) -> bool:
        """Whether it can be added to this way at all."""

    @abstractmethod
    def off(self, table: Table, seat: Faction) -> Off | None:
        """None if the seat can use it, else why it cannot."""

    def shapes(self, table: Table, seat: Faction) -> dict[str, Shape]:
        """What the seat says besides: further fields of its declaration."""
        return {}

    def pay(self, play: Play, seat: Faction, answer: Json) -> Flow | None:
        """Spend it; the result of a flow may be VOID, paid in vain."""
        return None

    @abstractmethod
    def use(self, play: Play, seat: Faction) -> None:
        """It has been paid: from then on the seat's rate is halved."""


_aids: Registry[ShippingAid] = Registry("shipping aid")


def shipping_aid(kind: type[ShippingAid]) -> type[ShippingAid]:
    """Register an aid; its name must be new and its rule given."""
    _aids.add(kind)
    return kind


def shipping_aids(table: Table) -> tuple[ShippingAid, ...]:
    """The aids that there are in this game."""
    return _aids.of(table.settings.mode, table.settings.modules)


class WayOpening(ABC):
    """Base of what, spent with the declaration, opens ways to ship that its holder has not else.

    Once it is spent the ways are there until this shipment is over, also when it must be declared anew. Registered by
    `way_opening`.
    """

    name: ClassVar[str]
    rule: ClassVar[str]

    @abstractmethod
    def possible(self, table: Table, seat: Faction) -> bool:
        """Whether by public facts the seat could hold it: then it is asked, whether it holds it or not. [WINPOL-03]"""

    @abstractmethod
    def is_held(self, table: Table, seat: Faction) -> bool:
        """Whether the seat holds it, so that its ways are spoken of in its offer."""

    @abstractmethod
    def off(self, table: Table, seat: Faction) -> Off | None:
        """None if its holder can use it now, else why it cannot."""

    @abstractmethod
    def ways(self, table: Table, seat: Faction, usual: tuple[Way, ...]) -> tuple[Way, ...]:
        """The ways that it opens to a seat that ships in its `usual` ways; their names are its own."""

    @abstractmethod
    def spend(self, play: Play, seat: Faction) -> None:
        """It is spent."""


_openings: Registry[WayOpening] = Registry("way opening")


def way_opening(kind: type[WayOpening]) -> type[WayOpening]:
    """Register an opening; its name must be new and its rule given."""
    _openings.add(kind)
    return kind


def way_openings(table: Table) -> tuple[WayOpening, ...]:
    """The openings that there are in this game."""
    return _openings.of(table.settings.mode, table.settings.modules)


def open_ways(play: Play, seat: Faction, opening: WayOpening) -> None:
    """Spend an opening: its ways are there from now on."""
    opening.spend(play, seat)
    play.set_public(OPENED, (seat, opening.name))


@contributes(ShippingWays, rule="SHIP-02", order=95)
def ways_that_were_opened(shipping: ShippingWays, table: Table) -> ShippingWays:
    """What was spent for the shipment now declared."""
    opened = table.names(OPENED)
    if not opened or opened[0] != shipping.faction:
        return shipping
    opening = _openings.all[opened[1]]
    ways = opening.ways(table, shipping.faction, shipping.ways)
    return shipping.having((*shipping.ways, *ways), "A card has opened further ways", opening.rule)
