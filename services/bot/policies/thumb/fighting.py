"""Rules of thumb for battles: the best leader, a fair dial, whatever weapon and defense are at hand."""

from __future__ import annotations

import random
from collections.abc import Callable

from services.bot.policies.thumb.reading import filled, paired, variant
from shared.dune import facts
from shared.dune.offers import Offer
from shared.dune.shapes import Fields, Json, ManyOf, Number, OneOf
from shared.dune.views import SeatView

__all__ = ["RULES"]

WORTHLESS = "worthless"


def battle_plan(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """A plan that keeps to every demand, found among the better choices first."""
    assert isinstance(offer.choice, Fields)
    fields = offer.choice.fields
    dial = fields["dial"]
    assert isinstance(dial, Number)
    numbers = [rng.randint((dial.low + dial.high + 1) // 2, dial.high), dial.high, dial.low]
    rest = _rest(offer.choice)
    for leader in _leaders(fields["leader"], rng):
        for weapon in _cards(fields["weapon"], rng):
            for defense in _cards(fields["defense"], rng):
                if _explodes(weapon, defense):
                    continue
                for number in numbers:
                    plan = {"leader": leader, "dial": number, "weapon": weapon, "defense": defense, **rest}
                    paired(offer.choice, plan)
                    if offer.problem(plan) is None:
                        return plan
    return None


def _rest(choice: Fields) -> dict[str, Json]:
    """Whatever else a plan holds: the last choice of each, which is to use it; numbers follow from the dial."""
    return {
        name: shape.legal()[-1] if isinstance(shape, OneOf) else 0
        for name, shape in choice.fields.items()
        if name not in ("leader", "dial", "weapon", "defense")
    }


def _leaders(shape: object, rng: random.Random) -> list[Json]:
    assert isinstance(shape, OneOf)

    def strength(value: Json) -> float:
        known = facts.leaders().get(str(value))
        return (known.strength if known else -1) + 1.5 * rng.random()

    return sorted(shape.legal(), key=strength, reverse=True)


def _cards(shape: object, rng: random.Random) -> list[Json]:
    """Real cards first, then none, then worthless ones."""
    assert isinstance(shape, OneOf)

    def rank(value: Json) -> float:
        if value is None:
            return 1 + rng.random() * 0.1
        return (2.0 if facts.treachery(str(value)).kind == WORTHLESS else 0.0) + rng.random()

    return sorted(shape.legal(), key=rank)


def _explodes(weapon: Json, defense: Json) -> bool:
    return (
        bool(weapon and defense)
        and facts.face(str(weapon)) == "lasgun"
        and facts.face(str(defense)) == "shield"
    )


def choose_battle(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Any of them."""
    return offer.choice.sample(rng)


def keep_cards(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Worthless cards go, others stay."""
    assert isinstance(offer.choice, Fields)
    shape = offer.choice.fields["discard"]
    assert isinstance(shape, ManyOf)
    return {"discard": [card for card in shape.legal() if facts.treachery(str(card)).kind == WORTHLESS]}


def call_traitor(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Whenever it can be done."""
    fields = variant(offer, "call")
    return filled("call", fields) if fields is not None else {"do": "pass"}


def voice(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Usually a weapon is forbidden."""
    word = rng.choice(("forbid", "forbid", "play", "none"))
    fields = variant(offer, word)
    if fields is None:
        return {"do": "none"}
    if word == "none":
        return {"do": "none"}
    card = rng.choice(
        ("poison_weapon", "projectile_weapon") if word == "forbid" else ("worthless", "cheap_hero")
    )
    return filled(word, fields, card=card)


def prescience(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Always asked, about anything."""
    fields = variant(offer, "ask")
    return filled("ask", fields, **fields.sample(rng)) if fields is not None else {"do": "none"}


def capture(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """Whenever there is somebody to take."""
    fields = variant(offer, "capture")
    return filled("capture", fields) if fields is not None else {"do": "no"}


def captive(view: SeatView, offer: Offer, rng: random.Random) -> Json:
    """A strong one is kept, a weak one is worth more dead."""
    known = facts.leaders().get(str(offer.about.get("leader")))
    return {"do": "keep" if known is not None and known.strength > 2 else "kill"}


RULES: dict[str, Callable[[SeatView, Offer, random.Random], Json]] = {
    "battle": choose_battle,
    "battle_cards": keep_cards,
    "battle_plan": battle_plan,
    "captive": captive,
    "capture": capture,
    "prescience": prescience,
    "traitor_call": call_traitor,
    "voice": voice,
}
