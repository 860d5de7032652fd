"""Rules of thumb for money, revival, alliances and what may be looked at."""

from __future__ import annotations

import random
from collections.abc import Callable

from services.bot.policies.thumb.reading import filled, own_spice, variant
from shared.dune import facts
from shared.dune.offers import Offer
from shared.dune.shapes import Fields, Json, Number, Variant
from shared.dune.views import SeatView

__all__ = ["RULES"]


def bid(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """One more than the standing bid, as long as the card costs no more than a third of what is there."""
    fields = variant(offer, "bid")
    if fields is None:
        return {"do": "pass"}
    amount = fields.fields["amount"]
    assert isinstance(amount, Number)
    held = len(view.zones.get(f"hand.{view.seat}", ()))
    limit = own_spice(view) // (2 if held < 2 else 3) + rng.randint(0, 1)
    return filled("bid", fields, amount=amount.low) if amount.low <= limit else {"do": "pass"}


def revive(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """The free forces, and the strongest leader that leaves a little spice."""
    default = offer.default
    names = (
        [name for name in offer.choice.variants if name in facts.leaders()]
        if isinstance(offer.choice, Variant)
        else []
    )
    for name in sorted(names, key=lambda leader: -facts.leader(leader).strength):
        fields = variant(offer, name)
        if fields is not None and own_spice(view) > facts.leader(name).strength:
            return filled(name, fields, forces=default.get("forces", {}))
    return default


def nexus(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Accepts most offers, makes one now and then, seldom breaks."""
    accept, propose = variant(offer, "accept"), variant(offer, "propose")
    if accept is not None and rng.random() < 0.6:
        return filled("accept", accept, **accept.sample(rng))
    if propose is not None and rng.random() < 0.3:
        return filled("propose", propose, **propose.sample(rng))
    leave = variant(offer, "break")
    if leave is not None and rng.random() < 0.05:
        return filled("break", leave)
    return {"do": "done"}


def yes(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """What is free to look at is looked at."""
    return {"do": "yes"}


def pay_revivals(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """A friend is helped from plenty."""
    assert isinstance(offer.choice, Fields)
    number = offer.choice.fields["number"]
    assert isinstance(number, Number)
    return {"number": max(number.low, min(number.high, (own_spice(view) - 6) // 4))}


RULES: dict[str, Callable[[SeatView, Offer, random.Random], Json]] = {
    "bid": bid,
    "nexus": nexus,
    "pay_revivals": pay_revivals,
    "revival": revive,
    "spice_look": yes,
}
