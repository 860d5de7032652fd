"""Standing orders: what a seat told the program to answer for it, private, visible to it and revocable. [WINPOL-08]

An order is kept in the private mark `orders.<faction>` as `<kind>=<what>@<turn or game>`; `kind` is a pattern of kinds
of windows, the exact kind of another question, `*`, or `small`; `what` is `pass`, `ask`, or the name of the reaction to
use.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import msgspec

from shared.dune.facts.orders import small_windows
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, OneOf, Variant
from shared.dune.table import Table

__all__ = ["EVERY", "ORDER_CLOCK", "SMALL", "order_mark", "ordered_answer", "paced"]

EVERY = "*"
"""All kinds of windows: what interrupts others, never a seat's own shipment, bid, claim or call."""
SMALL = "small"
"""The windows about small things of others, all in one order."""
WINDOWS = "window.*"
ORDER_CLOCK = "order"
"""The clock of an offer that a standing order answers: room draws its length, and when it ends the order answers."""


def order_mark(faction: Faction) -> str:
    """The name of the mark that holds a faction's standing orders."""
    return f"orders.{faction}"


def ordered_answer(table: Table, offer: Offer) -> Json:
    """What the seat's standing orders answer to a window; None if they say nothing, so that the seat is asked.

    The first order that fits counts: the newest. An order to use what the seat cannot use now gives way to an older one
    to use something else, and else passes: if it asked, all could tell by the waiting that nothing is held. [WINPOL-07]
    """
    if not offer.window or not isinstance(offer.choice, Variant):
        return None
    cannot: Json = None
    for order in table.names(order_mark(offer.seat)):
        pattern, _, rest = order.partition("=")
        name, _, until = rest.partition("@")
        current = until == "game" or int(until) >= table.turn
        if not current or not _fits(offer.kind, pattern):
            continue
        if name == "ask":
            break
        answer = {"do": name, **_first(offer.choice.variants.get(name))}
        if offer.problem(answer) is None:
            return answer
        if name in offer.choice.off:
            cannot = offer.default
    return cannot


def _fits(kind: str, pattern: str) -> bool:
    """Whether an order for a pattern speaks of a kind of question."""
    if pattern == SMALL:
        return kind in small_windows()
    return fnmatchcase(kind, WINDOWS if pattern == EVERY else pattern)


def _first(fields: Fields | None) -> dict[str, Json]:
    """The first option of each field: of several uses of a power, or cards that serve alike, an order takes the first.

    If it asked which, all could tell by the waiting that something is held. [WINPOL-07]
    """
    shapes = fields.fields if fields else {}
    return {key: shape.legal()[0] for key, shape in shapes.items() if isinstance(shape, OneOf)}


def paced(table: Table, offer: Offer) -> Offer:
    """The offer as its seat is put it: at a table with people an order answers only after a while. [WINPOL-07]

    If it answered at once, all would see that an order stands. Until then the seat may answer by itself.
    """
    if table.settings.paced and ordered_answer(table, offer) is not None:
        return msgspec.structs.replace(offer, clock=ORDER_CLOCK)
    return offer
