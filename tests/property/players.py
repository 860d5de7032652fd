"""Random legal players: any answer that an offer's choices allow, standing offers now and then.

And the settings of random games: each game has a quest, one thing that may be done in one kind of window, and seats
that make it possible.
"""

from __future__ import annotations

import os
import random
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from services.rules.engine.game import Game, find_offer
from services.rules.engine.loader import load_rules
from services.rules.engine.windows import reactions
from shared.dune import facts
from shared.dune.decks import treachery_pieces
from shared.dune.offers import Offer
from shared.dune.rulesets import rulesets
from shared.dune.rulings import rulings
from shared.dune.settings import Mode, Settings
from shared.dune.shapes import Json
from tests.property.effects import expected_effects
from tests.property.windows import expected, facts_of_windows

CLASSIC = ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen")
STANDING_SHARE = 0.04
"""How often a standing offer is taken up instead of what is asked."""
RARER = 3
"""How many times as many games are played for what is rare."""


MODE: Mode = "advanced" if os.environ.get("SIETCH_LAWS_MODE") == "advanced" else "basic"
"""The mode of the random games."""
MODULES = tuple(filter(None, os.environ.get("SIETCH_LAWS_MODULES", "").split(",")))
"""The optional modules of the random games."""
DECKS = rulesets()["base-1"].decks


class Quest(Struct, frozen=True):
    """One reaction in one kind of window, which the seats that keep their cards for it wait for.

    Or one effect of a Nexus card that its holder plays by itself: `kind` is empty then. `seated`, `absent`: the faction
    without which, or with which, there is no such thing; `card`: what it is paid with, the face of a treachery card or
    of a Nexus card; `own`: that faction must hold it itself.
    """

    kind: str
    what: str
    card: str
    seated: str = ""
    absent: str = ""
    own: bool = False

    def is_kept(self, given: Json) -> bool:
        """Whether an answer speaks of the card that is kept for it."""
        return self.card.encode() in msgspec.json.encode(given)


def quest_of(seed: int) -> Quest:
    """The quest of a game: each reaction in each kind of window is that of every so many games, a rare one of more."""
    known = _quests()
    return known[seed % len(known)]


def _nexus_quest(kind: str, mode: str, native: str, what: str) -> Quest:
    """What a Nexus card is played for: by its own faction, against it, or where it is not in play. [NEXUS-24]"""
    if mode == "secret_ally":
        return Quest(kind, what, f"nexus_{native}", absent=native)
    return Quest(kind, what, f"nexus_{native}", native, own=mode == "cunning")


def is_single_minded(seed: int) -> bool:
    """Whether in this game everybody keeps the card of the quest for its moment, and is dealt it where that can be."""
    return random.Random(f"mind {seed}").random() < 0.5


@cache
def _quests() -> tuple[Quest, ...]:
    load_rules()
    pairs = [(kind, what) for kind, used in expected(MODE, MODULES).items() for what in used]
    made = [_quest(kind, what) for kind, what in pairs]
    played = set(expected_effects(MODE, MODULES).values())
    made += [
        _nexus_quest("", *effect.split()) for effect in sorted(played) if effect.split()[2] not in reactions()
    ]
    rare = set(facts_of_windows().rare)
    for quest in [q for q in made if {q.kind.removeprefix("cancel."), q.what} & rare]:
        made += [quest] * (RARER - 1)
    random.Random(0).shuffle(made)
    return tuple(made)


def _quest(kind: str, what: str) -> Quest:
    reaction = reactions()[what]
    native, mode = getattr(reaction, "native", ""), getattr(reaction, "mode", "")
    owner = next((name for name in CLASSIC if name in kind.split(".")), "")
    if native:
        return _nexus_quest(kind, mode, native, what)
    seat = what.partition("_")[0]
    card = what if what in facts.treachery_cards() else "karama"
    return Quest(kind, what, card, owner or (seat if seat in CLASSIC else ""))


def settings_for(seed: int) -> Settings:
    """Settings drawn by a seed: 2 to 6 seats, any roster, any last turn now and then, any rulings that are offered.

    The roster lets the game's quest happen.
    """
    rng = random.Random(seed)
    seats = _seats(rng, quest_of(seed))
    decks = _decks(rng, quest_of(seed))
    chosen = {
        r.name: rng.choice(r.offered)
        for r in rulings().values()
        if not r.why_absent(MODE, MODULES, decks) and rng.random() < 0.2
    }
    differing = {name: value for name, value in chosen.items() if value != rulings()[name].default}
    last = rng.choice((3, 6, 10, 10, 10))
    paced = rng.random() < 0.3
    return Settings(MODE, MODULES, decks, seats=seats, rulings=differing, last_turn=last, paced=paced)


def _decks(rng: random.Random, quest: Quest) -> tuple[str, ...]:
    """Any decks that hold the card of the quest; the small deck as often as not."""
    fitting = [decks for decks in DECKS if quest.card.startswith("nexus") or _holds(decks, quest.card)]
    return fitting[0] if rng.random() < 0.5 else rng.choice(fitting)


def _holds(decks: tuple[str, ...], card: str) -> bool:
    return any(facts.face(piece) == card for piece in treachery_pieces(decks))


def _seats(rng: random.Random, quest: Quest) -> tuple[str, ...]:
    """Any roster; another faction makes room for the one that the quest needs."""
    pool = [name for name in CLASSIC if name != quest.absent]
    seats = rng.sample(pool, min(len(pool), rng.randint(2, 6)))
    if quest.seated and quest.seated not in seats:
        seats[rng.randrange(len(seats))] = quest.seated
    return tuple(seats)


def sampled(offer: Offer, rng: random.Random) -> Any:
    """Any legal answer; the default where none is found by trying."""
    try:
        return offer.choice.sample(rng)
    except LookupError:
        return offer.default


def next_answer(game: Game, rng: random.Random) -> tuple[Offer, Any]:
    """Who answers next, and what: any open offer that is not answered yet, or a standing one now and then."""
    waiting = [offer for offer in game.open if offer.committed is None]
    if game.standing and rng.random() < STANDING_SHARE:
        short = rng.choice(game.standing)
        whole = find_offer(game, short.seat, short.id)
        assert whole is not None, f"{short.kind} is listed but cannot be done"
        waiting = [whole]
    offer = rng.choice(waiting)
    return offer, sampled(offer, rng)
