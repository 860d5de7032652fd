"""Events of Shipment and Movement."""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.settings import Faction


class ShipmentDeclared(Event, tag=True, frozen=True):
    """A shipment is declared completely, before it can be answered and before it is paid. [SHIP-08, WINPOL-22]

    `price` is in spice, `help` the part of it that the ally will pay, `way` the word for how the forces travel.
    """

    faction: Faction
    way: str
    number: int
    target: str
    price: int
    help: int = 0

    public: ClassVar = ("faction", "way", "number", "target", "price", "help")
    lines: ClassVar = (
        "{faction} declares a {way} of {number} to {target}, price {price} (ally pays {help}).",
    )


class ShipmentWithdrawn(Event, tag=True, frozen=True):
    """A declared shipment does not take place and costs nothing. `lost`: no other may follow. [GUILD-28, SHIP-18]"""

    faction: Faction
    why: str
    lost: bool = False

    public: ClassVar = ("faction", "why", "lost")
    lines: ClassVar = ("The shipment of {faction} does not take place ({why}).",)
