"""Players with habits: those who use what they can as often as they may, those who keep it for one moment, the idle.

Uniformly random players spend cards and powers seldom, so that what needs two rare things at once is never seen. A game
is played alike whenever it is played from its seed: what a player prefers follows from this game alone.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from math import fsum
from typing import Any

from services.rules.engine.game import Game, find_offer
from shared.dune.facts import face
from shared.dune.offers import Offer, Standing
from shared.dune.shapes import Variant
from tests.property.players import STANDING_SHARE, is_single_minded, quest_of, sampled

__all__ = ["Players", "traits"]

IDLE, EAGER, KEEPER = "idle", "eager", "keeper"
HABITS = (IDLE, EAGER, EAGER, KEEPER)
"""Every fourth seat chooses at random, every fourth keeps its cards; the rest use what was used least in the game."""
EAGER_SHARE = 0.7
"""How often those who use what they can choose what was used least rather than anything."""
DRAWN = 3
"""Answers that are drawn to choose among, where a question has no list of things to do."""
NEXUS_CARD, NEXUS_SHARE = "nexus_card", 0.2
"""What the holder of a Nexus card may play by itself, and how often it does where it can."""
QUEST_SHARE = 0.6
"""How often in a game of which that is the quest; and about as often is what was kept used in its moment."""
SILENT = ("orders", "deal", "reveal", "permission")
"""Standing offers that change no card nor power: taken up at random now and then, never sought."""


class Players:
    """Who sits at the table of one game. Two that are made from one seed play one game alike."""

    def __init__(self, seed: int, seats: tuple[str, ...]) -> None:
        self._rng = random.Random(seed)
        self._used: Counter[str] = Counter()
        self._quest = quest_of(seed)
        habits = (KEEPER,) if is_single_minded(seed) else HABITS
        self._habits = {seat: self._rng.choice(habits) for seat in seats}

    def next_answer(self, game: Game) -> tuple[Offer, Any]:
        """Who answers next, and what: any open offer that is not answered yet, or a standing one now and then."""
        found = self._standing(game)
        if found is None:
            waiting = [offer for offer in game.open if offer.committed is None]
            offer = self._rng.choice(waiting)
            found = offer, self._answer(offer)
        offer, given = found
        self._used.update(traits(offer.kind, given))
        return offer, given

    def _standing(self, game: Game) -> tuple[Offer, Any] | None:
        """A standing offer: any by chance, one that was seldom taken up by those who seek it."""
        if not game.standing:
            return None
        cards = [o for o in game.standing if o.kind == NEXUS_CARD and self._habits[o.seat] != IDLE]
        share = NEXUS_SHARE if self._quest.kind else QUEST_SHARE
        if cards and self._rng.random() < share:
            return self._taken(game, self._rng.choice(cards))
        if self._rng.random() >= 2 * STANDING_SHARE:
            return None
        if self._rng.random() < 0.5:
            offers = [o for o in game.standing if self._habits[o.seat] == IDLE or o.kind != "orders"]
        else:
            eager = [o for o in game.standing if self._habits[o.seat] == EAGER]
            offers = sorted((o for o in eager if o.kind not in SILENT), key=lambda o: self._used[o.kind])[:3]
        if not offers:
            return None
        return self._taken(game, self._rng.choice(offers))

    def _taken(self, game: Game, short: Standing) -> tuple[Offer, Any] | None:
        """A standing offer taken up, unless that would spend what the seat keeps."""
        whole = find_offer(game, short.seat, short.id)
        assert whole is not None, f"{short.kind} is listed but cannot be done"
        given = self._answer(whole)
        keeps = self._habits[short.seat] == KEEPER and self._quest.is_kept(given)
        return None if keeps else (whole, given)

    def _answer(self, offer: Offer) -> Any:
        habit = self._habits[offer.seat]
        if habit == KEEPER:
            return self._keeping(offer)
        if habit == EAGER and self._rng.random() < EAGER_SHARE:
            return self._least_used(offer)
        return sampled(offer, self._rng)

    def _keeping(self, offer: Offer) -> Any:
        """What the seat keeps it spends in the moment that it waits for alone, if it need not elsewhere."""
        quest = self._quest
        if offer.kind == "nexus" and quest.card.startswith("nexus_"):
            return offer.default  # an alliance would cost it the card
        is_moment = isinstance(offer.choice, Variant) and offer.kind == f"window.{quest.kind}"
        if is_moment and quest.what in offer.choice.variants and self._rng.random() < QUEST_SHARE:
            return {"do": quest.what, **offer.choice.variants[quest.what].sample(self._rng)}
        if self._rng.random() < EAGER_SHARE:
            return self._least_used(offer, keeping=True)
        given = sampled(offer, self._rng)
        return self._least_used(offer, keeping=True) if quest.is_kept(given) else given

    def _least_used(self, offer: Offer, *, keeping: bool = False) -> Any:
        """Of some answers the one that holds most of what was used least so far in this game.

        `keeping`: none that speaks of the card that is kept, if there is another.
        """
        drawn = list(self._drawn(offer)) or [offer.default]
        if keeping:
            drawn = [one for one in drawn if not self._quest.is_kept(one)] or drawn
        worth = [fsum(1 / (1 + self._used[trait]) for trait in traits(offer.kind, one)) for one in drawn]
        return drawn[worth.index(max(worth))]

    def _drawn(self, offer: Offer) -> Iterator[Any]:
        """One answer for each thing to do, in any order; or some answers."""
        if not isinstance(offer.choice, Variant):
            yield from (sampled(offer, self._rng) for _ in range(DRAWN))
            return
        for name in self._rng.sample(sorted(offer.choice.variants), len(offer.choice.variants)):
            try:
                yield {"do": name, **offer.choice.variants[name].sample(self._rng)}
            except LookupError:
                continue


def traits(kind: str, given: Any) -> set[str]:
    """What an answer is made of: each thing chosen by its place in the answer, numbers by whether they are 0."""
    return {kind, *_parts(kind, given)}


def _parts(path: str, given: Any) -> Iterator[str]:
    if isinstance(given, dict):
        for key, value in given.items():
            yield from _parts(f"{path}.{key}", value)
    elif isinstance(given, list):
        for value in given:
            yield from _parts(path, value)
    elif isinstance(given, str):
        yield f"{path}={face(given)}"
    elif given is not None:
        yield f"{path}={bool(given)}"
