"""Two worlds: what an audience gets does not depend on what it may not know, until the rules reveal the difference.

Compared to the byte: views, the frames of its stream (and so their sizes), sequence numbers, its standing offers whole,
what it is told when it is refused, and whom the game waits for and by which clock.
"""

from __future__ import annotations

import random
from itertools import zip_longest
from typing import Any

from services.rules.engine.game import Decision, Game, Refusal, answer, expire
from services.rules.engine.orders import ORDER_CLOCK, ordered_answer
from shared.dune.events import visible
from shared.dune.offers import Offer
from shared.dune.views import SPECTATOR, encode_view, view
from shared.dune.worlds import sample_world
from tests.property.heard import Ear, alike, everything
from tests.property.otherworld import other_world
from tests.property.players import sampled

FOLLOWED = 6
"""Decisions for which two worlds are followed, unless the rules reveal the difference before."""


def check_two_worlds(game: Game, rng: random.Random) -> int:
    """Change what one audience may not know: what it gets stays the same to the byte. Returns decisions compared."""
    audience = rng.choice((*game.table.seats, SPECTATOR))
    if audience != SPECTATOR:
        _check_sample(game, audience, rng)
    _check_sealed(game, audience, rng)
    other = other_world(game, audience, rng)
    if other is None:
        return 0
    _same(everything(game, audience), everything(other, audience), f"what stands before {audience}")
    return 1 + _follow(game, other, audience, rng)


def _follow(one: Game, two: Game, audience: str, rng: random.Random) -> int:
    """Play the same answers in both worlds; the number of decisions after which both were compared."""
    ears = Ear(one, audience), Ear(two, audience)
    for compared in range(FOLLOWED):
        offers = [offer for offer in one.open if offer.committed is None]
        if not offers:
            return compared
        offer = rng.choice(offers)
        twin = next((o for o in two.open if o.seat == offer.seat and o.kind == offer.kind), None)
        assert twin is not None, f"{offer.seat} is asked {offer.kind} in one world only"
        given = _given(one, two, offer, twin, rng)
        if twin.problem(given) is not None or offer.problem(given) is not None:
            return compared
        first, second = _answered(one, offer, given), _answered(two, twin, given)
        assert isinstance(first, Decision) and isinstance(second, Decision)
        drawn = one.chance != two.chance and one.chance != first.game.chance
        if drawn or _reveals(first, second, audience):
            return compared
        one, two = first.game, second.game
        _compare(first, second, ears, audience, f"after {offer.kind} of {offer.seat}: {given!r}")
    return FOLLOWED


def _given(one: Game, two: Game, offer: Offer, twin: Offer, rng: random.Random) -> Any:
    """What a standing order of either world says, so that a person says the same in the other; else anything legal."""
    for game, asked in ((one, offer), (two, twin)):
        if asked.clock == ORDER_CLOCK:
            return ordered_answer(game.table, asked)
    return sampled(offer, rng)


def _answered(game: Game, offer: Offer, given: Any) -> Decision | Refusal:
    """Answered by the end of its time where a standing order says this, and by hand where none does. [WINPOL-07]"""
    if offer.clock == ORDER_CLOCK and ordered_answer(game.table, offer) == given:
        return expire(game, offer.seat, offer.id)
    return answer(game, offer.seat, offer.id, given)


def _compare(first: Decision, second: Decision, ears: tuple[Ear, Ear], audience: str, when: str) -> None:
    _same(everything(first.game, audience), everything(second.game, audience), f"{audience} can tell {when}")
    sent = ears[0].hear(first), ears[1].hear(second)
    assert len(sent[0]) == len(sent[1]), f"{audience} is sent something in one world only {when}"
    for ours, theirs in zip(*sent, strict=True):
        _same(ours, theirs, f"the stream of {audience} differs {when}")


def _same(ours: bytes, theirs: bytes, when: str) -> None:
    """Equal to the byte, and of one size, but for which of its own copies of a card the audience holds."""
    assert alike(ours) == alike(theirs), f"{when}\n{_apart(alike(ours), alike(theirs))}"
    assert len(ours) == len(theirs), f"the sizes differ: {when}"


def _apart(ours: bytes, theirs: bytes) -> str:
    """The first place where two texts part, with what stands around it."""
    at = next(
        (i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs))
    )
    start = max(0, at - 120)
    return f"  {ours[start : at + 120]!r}\n  {theirs[start : at + 120]!r}"


def _check_sealed(game: Game, audience: str, rng: random.Random) -> None:
    """Two different answers of another seat, sealed while others are still asked, look alike. [WINPOL-05]"""
    pending = [offer for offer in game.open if offer.committed is None]
    others = [offer for offer in pending if offer.seat != audience]
    if len(pending) < 2 or not others or game.stack[-1].each:
        return
    offer = rng.choice(others)
    given = [sampled(offer, rng) for _ in range(2)]
    if any(game.stack[-1].flow.decides(one) for one in given):
        return
    decisions = [_sealed(game, offer, one) for one in given]
    ears = Ear(game, audience), Ear(game, audience)
    _compare(*decisions, ears, audience, f"what {offer.seat} sealed for {offer.kind}")


def _sealed(game: Game, offer: Offer, given: Any) -> Decision:
    decision = answer(game, offer.seat, offer.id, given)
    assert isinstance(decision, Decision)
    return decision


def _check_sample(game: Game, seat: str, rng: random.Random) -> None:
    """A sampled world gives its seat the same view, its open offers aside."""
    seen = view(game.table, game.checkpoint(), seat)
    world = sample_world(seen, rng)
    bare = game.checkpoint()
    again = view(world, bare, seat)
    assert encode_view(again) == encode_view(seen), "a sampled world looks different"


def _reveals(first: Decision, second: Decision, seat: str) -> bool:
    """Whether what the seat was told differs: then the rules revealed something, and only by a hidden piece or sum."""
    told = [_told(decision, seat) for decision in (first, second)]
    if told[0] == told[1]:
        return False
    kinds = {
        event["event"]
        for pair in zip_longest(*told)
        if pair[0] != pair[1]
        for event in pair
        if event is not None
    }
    assert kinds & REVEALING, f"{seat} is told different things by {sorted(kinds)}"
    return True


REVEALING = {
    "CardBought",
    "BattleResolved",
    "CardDiscarded",
    "CardDrawn",
    "CardSeen",
    "CardSold",
    "CharityClaimed",
    "ForcesKilled",
    "GameEnded",
    "LeaderCaptured",
    "LeaderKilled",
    "LeaderMissed",
    "NexusCardForfeited",
    "NexusCardHeld",
    "NexusCardMoved",
    "NexusCardPlayed",
    "NexusDeckRebuilt",
    "PlanRevealed",
    "ShipmentDeclared",
    "ShipmentWithdrawn",
    "SpiceCardRevealed",
    "CardsTaken",
    "CardsGiven",
    "SpicePaid",
    "StormCardRevealed",
    "StormCardSeen",
    "TraitorCalled",
    "TraitorsDealt",
    "TraitorInquiryAnswered",
    "TraitorsDrawn",
    "TraitorsKeptBack",
    "TraitorsReturned",
    "TruthAnswered",
    "UnusedCardSeen",
    "WormAppeared",
}
"""Events by which the rules show hidden pieces, hidden spice or what follows from them.

A declared shipment is one of them: what its owner lacks is taken from the ally's promise, openly. [SHIP-08]
So is one that is withdrawn: when its half price is cancelled all see whether the whole can be paid. [GUILD-28]
"""


def _told(decision: Decision, seat: str) -> list[dict[str, Any]]:
    return [part for event in decision.events if (part := visible(event, seat)) is not None]
