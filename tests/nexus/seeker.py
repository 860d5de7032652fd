"""Players who bring a whole game to Nexus cards: two of them ally, the others draw, and nobody plays a card."""

from __future__ import annotations

from services.bot.policies.base import chance_of
from services.bot.policies.easy import EasyPolicy
from shared.dune.facts.nexus import nexus_card_of
from shared.dune.offers import Offer
from shared.dune.shapes import Fields, Json, OneOf, Variant
from shared.dune.views import SeatView
from tests.nexus.aims import aimed

__all__ = ["decide"]

_easy = EasyPolicy()


def decide(seen: SeatView, offer: Offer, aim: str = "") -> Json:
    """What such a player answers, by its own view alone: the same in process and over HTTP.

    `aim`: the effect that all of them want to come to; empty: any.
    """
    if offer.kind == "nexus":
        return _ally(seen, offer)
    if aim and (answer := aimed(seen, offer, aim)) is not None:
        return answer
    if offer.kind == "nexus_draw":
        own = seen.zones.get(f"nexus.{seen.seat}", ()) == (nexus_card_of(str(seen.seat)),)
        return {"do": "leave"} if own else {"do": "draw", "own_face": "keep"}
    if offer.kind.startswith("window."):
        return offer.default
    return _easy.decide(seen, offer, chance_of(seen, offer))


def _ally(seen: SeatView, offer: Offer) -> Json:
    """The last two in the circle become allies and stay so; nobody else does: an alliance, and who may draw."""
    pair = seen.settings.seats[-2:]
    if seen.seat in pair and isinstance(offer.choice, Variant):
        partner = next(seat for seat in pair if seat != seen.seat)
        for verb, field in (("accept", "from"), ("propose", "to")):
            if _open(offer.choice.variants.get(verb), field, partner):
                return {"do": verb, field: partner}
    return {"do": "done"}


def _open(fields: Fields | None, field: str, partner: str) -> bool:
    shape = fields.fields[field] if fields else None
    return isinstance(shape, OneOf) and partner in shape.legal()
