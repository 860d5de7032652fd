"""Players who aim at one effect to which games of others seldom come: each by its own view alone.

Whoever is to hold the card keeps it; whoever is to bring its moment about ships, moves or rides for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from services.bot.policies.thumb.reading import enemies_in, filled, own_spice, variant
from shared.dune import facts
from shared.dune.facts.nexus import nexus_card_of
from shared.dune.offers import Offer
from shared.dune.shapes import Json, Transfer
from shared.dune.views import SeatView
from tests.nexus.effects import EFFECTS

__all__ = ["AIMS", "aimed"]

NORMAL = "regular"
FIVE, MOST = 5, 8
PILES = ("a", "b")


def aimed(seen: SeatView, offer: Offer, aim: str) -> Json:
    """What a player with an aim answers; None where it plays as ever."""
    if offer.kind == "nexus_draw":
        return {"do": "leave"} if _holds(seen, aim) else None
    return AIMS[aim](seen, offer)


def _holds(seen: SeatView, aim: str) -> bool:
    return seen.zones.get(f"nexus.{seen.seat}", ()) == (nexus_card_of(EFFECTS[aim][0]),)


def _without_sardaukar(seen: SeatView, offer: Offer) -> Json:
    """The Emperor stays at home until it holds its card, then attacks with normal forces alone."""
    if seen.seat != "emperor" or offer.kind not in ("ship", "move"):
        return None
    if offer.kind == "move":
        return {"do": "end"}
    return (_holds(seen, "count_as_sardaukar") and _shipped(seen, offer, _held_by_others(seen), FIVE)) or {
        "do": "pass"
    }


def _ridden(seen: SeatView, offer: Offer) -> Json:
    """Fremen wait for worms, and ride them."""
    if seen.seat != "fremen":
        return None
    if offer.kind == "worm_ride":
        return _sent(seen, offer, "ride", sorted(facts.locations(), key=facts.board_order), 1)
    return _waits_for_worms(seen, offer)


def _in_the_way(seen: SeatView, offer: Offer) -> Json:
    """Who holds the card waits for a worm."""
    return _waits_for_worms(seen, offer) if _holds(seen, "fremen_protection") else None


AIMS: dict[str, Callable[[SeatView, Offer], Json]] = {
    "count_as_sardaukar": _without_sardaukar,
    "fremen_no_rides": _ridden,
    "fremen_protection": _in_the_way,
}
"""What brings an effect about, by its name."""


def _waits_for_worms(seen: SeatView, offer: Offer) -> Json:
    """To where the next worm will appear, and no step away."""
    if offer.kind == "move":
        return {"do": "end"}
    return (_shipped(seen, offer, _next_worms(seen), 1) or {"do": "pass"}) if offer.kind == "ship" else None


def _next_worms(seen: SeatView) -> list[str]:
    """The locations of the territories whose spice cards lie uppermost: there the next worms appear. [BLOW-11]"""
    newest = (seen.marks.get(f"newest_territory.{pile}") for pile in PILES)
    return [
        place for territory in newest if isinstance(territory, str) for place in facts.locations_of(territory)
    ]


def _held_by_others(seen: SeatView) -> list[str]:
    places = [place for place in facts.locations() if enemies_in(seen, place)]
    return sorted(places, key=lambda place: (enemies_in(seen, place), facts.board_order(place)))


def _shipped(seen: SeatView, offer: Offer, places: Iterable[str], least: int) -> Json:
    return _sent(seen, offer, "ship", places, least)


def _sent(seen: SeatView, offer: Offer, verb: str, places: Iterable[str], least: int) -> Json:
    """Normal forces, so many at least, to the first of these places that they can reach; None if to none."""
    fields = variant(offer, verb)
    if fields is None:
        return None
    name, shape = next((n, s) for n, s in fields.fields.items() if isinstance(s, Transfer))
    reached = shape.open_places()
    for place in places:
        target = shape.target(place) if place in reached else None
        for source in shape.sources if target else ():
            assert target is not None
            prices = shape.prices(target)
            paid = sum(price <= own_spice(seen) for price in prices) if prices else MOST
            number = min(least + 1, source.kinds.get(NORMAL, 0), shape.most(target), paid)
            if source.place in target.sources and number >= least:
                given = {"from": {source.place: {NORMAL: number}}, "to": place}
                return filled(verb, fields, **{name: given})
    return None
