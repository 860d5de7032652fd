"""Tables laid anew at the beginning of a turn: cards that random games seldom bring to a hand lie in one.

Pieces change places and nothing else does. What somebody was shown, or a promise or a flow names, stays where it is.
"""

from __future__ import annotations

import random

import msgspec

from services.rules.engine.flow import encode_stack
from services.rules.engine.game import Game, renewed
from services.rules.modules.nexus.holding import deck, hand
from shared.dune import facts
from shared.dune.events import evolve
from shared.dune.events.nexus import AllianceMade
from shared.dune.facts.nexus import has_nexus_cards
from shared.dune.table import RESERVES, Table, move_forces, move_piece, zone
from tests.property.otherworld import swapped
from tests.property.players import Quest, is_single_minded, quest_of

__all__ = ["Stager"]

SHARE = 0.4
"""Of the games, those in which tables are laid anew."""
SOUGHT = (
    "karama",
    "truthtrance",
    "tleilaxu_ghola",
    "hajr",
    "weather_control",
    "family_atomics",
    "lasgun",
    "shield",
)
PHASES = ("storm", "spice_blow")
OF_ALLIES = (
    "emperor.extra_revivals",
    "emperor.gift",
    "fremen.ally_revival",
    "fremen.protection",
    "harkonnen.ally_traitor",
)
"""Powers that are used for an ally."""
OF_WORMS = (
    "fremen.immunity",
    "fremen.protection",
    "fremen.ride",
    "nexus.ride",
    "nexus.worm",
    "nexus.distant_ride",
)
"""Powers that are used where a worm appears: forces must stand there."""


class Stager:
    """Lays the table of one game anew, once in a turn; in most games not at all."""

    def __init__(self, seed: int, share: float = SHARE) -> None:
        self._rng = random.Random(f"staged {seed}")
        self._quest = quest_of(seed)
        self._single = is_single_minded(seed)
        self._active = self._rng.random() < (2 * share if self._single else share)
        self._turn = 0

    def laid(self, game: Game) -> Game:
        """The game, at the beginning of a turn with other cards in some hands."""
        table = game.table
        if not self._active or table.phase not in PHASES or table.turn == self._turn:
            return game
        self._turn = table.turn
        pinned = _pinned(game)
        for seat in table.seats:
            is_owner = seat == self._quest.seated and self._quest.kind.startswith("cancel.")
            if self._rng.random() < 0.5 and not (self._single and is_owner):
                table = _with_card(table, seat, self._face(), pinned, self._rng)
        if has_nexus_cards(table.settings.modules):
            table = _with_nexus_cards(table, self._quest, self._rng)
        if self._single:
            table = _with_board(table, self._quest, self._rng)
        return renewed(msgspec.structs.replace(game, table=table)) if table != game.table else game

    def _face(self) -> str:
        """The card of the quest as often as not."""
        wanted = self._quest.card
        if wanted in facts.treachery_cards() and (self._single or self._rng.random() < 0.5):
            return wanted
        return self._rng.choice(SOUGHT)


def _pinned(game: Game) -> str:
    """The names of the pieces that must stay: what memories, marks and flows speak of."""
    told = [held.value for held in game.table.marks.values()]
    known = [entry for entries in game.table.memory.values() for entry in entries]
    return (bytes(encode_stack(game.stack)) + msgspec.json.encode([told, known])).decode()


def _with_card(table: Table, seat: str, face: str, pinned: str, rng: random.Random) -> Table:
    """A card of this face from the deck or the discards for one of the hand, if there is one of each."""
    loose = [
        p for n in ("treachery_deck", "treachery_discard") for p in zone(table, n) if facts.face(p) == face
    ]
    own = [card for card in table.hand(seat) if facts.face(card) not in SOUGHT]
    loose, own = [p for p in loose if p not in pinned], [p for p in own if p not in pinned]
    if not loose or not own:
        return table
    one, other = loose[0], rng.choice(own)
    return swapped(table, {one: other, other: one})


def _with_board(table: Table, quest: Quest, rng: random.Random) -> Table:
    """An ally for the one whose power is used for allies, forces where worms come for what is used there."""
    owner = quest.seated if quest.seated in table.seats else ""
    power = quest.kind.removeprefix("cancel.")
    free = [s for s in table.seats if s != owner and not table.ally_of(s) and not zone(table, hand(s))]
    is_free = owner and not table.ally_of(owner) and not zone(table, hand(owner))
    if power in OF_ALLIES and is_free and free and len(table.seats) > 2:
        table = evolve(table, AllianceMade(owner, rng.choice(free)))
    holder = next((seat for seat in table.seats if quest.card in zone(table, hand(seat))), None)
    seat = table.ally_of(owner) if power in OF_ALLIES else owner or holder
    if power not in OF_WORMS or not seat:
        return table
    # Where a seat's forces only stay, fighters beside them would be of the other side. [BG-22]
    blows = [
        place
        for place, fact in facts.locations().items()
        if fact.spice_blow
        and not table.in_storm(place)
        and table.factions_in(fact.territory).get(seat) == table.occupants_of(fact.territory).get(seat)
    ]
    for place in rng.sample(blows, min(5, table.kinds_at(RESERVES, seat).get("regular", 0))):
        table = move_forces(table, seat, {"regular": 1}, RESERVES, place)
    return table


def _with_nexus_cards(table: Table, quest: Quest, rng: random.Random) -> Table:
    """Seats that may hold a Nexus card and hold none get one: that of the quest if it can be, else any. [NEXUS-26]"""
    for seat in rng.sample(table.seats, len(table.seats)):
        stock = zone(table, deck(table))
        if not stock or table.ally_of(seat) or zone(table, hand(seat)) or rng.random() < 0.3:
            continue
        wanted = quest.card in stock and (seat == quest.seated) == quest.own
        card = quest.card if wanted else rng.choice(stock)
        table = move_piece(table, card, deck(table), hand(seat))
    return table
