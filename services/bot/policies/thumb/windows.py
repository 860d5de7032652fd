"""Rules of thumb for windows: a Karama now and then against what hurts, storm cards when the storm comes near."""

from __future__ import annotations

import random

from services.bot.policies.thumb.reading import filled, variant
from shared.dune import facts
from shared.dune.offers import Offer
from shared.dune.shapes import Json
from shared.dune.views import SeatView

__all__ = ["in_window"]

HURTS = (
    "atreides.prescience",
    "bene_gesserit.voice",
    "emperor.income",
    "harkonnen.traitor_call",
    "fremen.ride",
)
"""Powers that a beginner would rather see cancelled."""
MANY = 5
"""Forces of a shipment that are worth stopping."""


def in_window(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Pass, unless a card at hand helps."""
    karama = variant(offer, "karama")
    if karama is not None and offer.about.get("power") in HURTS and rng.random() < 0.3:
        return filled("karama", karama)
    weather = variant(offer, "weather_control")
    if weather is not None and _storm_comes(view, offer):
        return filled("weather_control", weather, sectors=rng.randint(0, 10))
    atomics = variant(offer, "family_atomics")
    if atomics is not None and rng.random() < 0.2:
        return filled("family_atomics", atomics)
    stop = variant(offer, "guild_stop")
    if stop is not None and int(str(offer.about.get("forces", 0))) >= MANY and rng.random() < 0.5:
        return filled("guild_stop", stop)
    return {"do": "pass"}


def _storm_comes(view: SeatView, offer: Offer) -> bool:
    """Whether the storm is about to reach own forces in the open."""
    distance = offer.about.get("distance")
    if not isinstance(distance, int):
        return False
    path = {(view.storm + step - 1) % facts.SECTORS + 1 for step in range(1, distance + 1)}
    own = [place for place, shown in view.places.items() if view.seat in shown.forces]
    return any(facts.sector_of(p) in path and not facts.territory_of(p).storm_protected for p in own)
